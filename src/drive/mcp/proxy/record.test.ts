import { appendFileSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LogReader, type LogRecord } from './log-reader.ts';
import { longestLogBytes, MessageLog, shortened } from './message-log.ts';
import { RecordedServer } from './recorded-server.ts';

function openLog() {
  const folder = mkdtempSync(join(tmpdir(), 'assay-record-'));
  const path = join(folder, 'log.jsonl');
  const records: LogRecord[] = [];
  const reader = new LogReader(path, (record) => records.push(record));
  onTestFinished(() => {
    reader[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });
  return { path, records, reader };
}

const texts = (records: readonly LogRecord[]) =>
  records.flatMap((record) => (record.kind === 'message' ? record.text : []));

describe('what a proxy writes down', () => {
  it('can be read while it is written', () => {
    const { path, records, reader } = openLog();
    using log = new MessageLog(path);
    log.message('to-server', Buffer.from('one'));
    reader.read();
    expect(texts(records)).toEqual(['one']);
    log.message('from-server', Buffer.from('two "quoted"\u2028'));
    reader.read();
    reader.read();
    expect(texts(records)).toEqual(['one', 'two "quoted"\u2028']);
    expect(records[0]).toMatchObject({ kind: 'start', proxy: log.proxy });
  });

  it('loses nothing but its last line when a proxy is killed while it writes', () => {
    const { path, records, reader } = openLog();
    using killed = new MessageLog(path);
    using other = new MessageLog(path);
    killed.message('to-server', Buffer.from('before'));
    appendFileSync(path, '{"kind":"message","proxy":"');
    reader.read();
    expect(reader.problems).toEqual([]);
    using next = new MessageLog(path);
    next.message('to-server', Buffer.from('after'));
    other.message('to-server', Buffer.from('at last'));
    reader.read();
    expect(texts(records)).toEqual(['before', 'after', 'at last']);
    expect(records.filter(({ kind }) => kind === 'start')).toHaveLength(3);
  });

  it('does not grow without end', () => {
    const { path, records, reader } = openLog();
    using log = new MessageLog(path);
    const megabyte = Buffer.alloc(1_000_000, 'x');
    for (let count = 0; count < 80; count++) log.message('from-server', megabyte);
    log.end({ endedBy: 'agent', code: null, what: 'ended', stderr: '' });
    expect(statSync(path).size).toBeLessThan(longestLogBytes + 2_000_000);
    reader.read();
    const kept = texts(records).length;
    expect(records.slice(-2)).toMatchObject([{ kind: 'full' }, { kind: 'end', messagesLeftOut: 80 - kept }]);
  });

  it('is not missed by those who talk when it cannot be written', () => {
    const log = new MessageLog('/no/such/folder/log.jsonl');
    expect(log.isWritten).toBe(false);
    expect(() => log.message('to-server', Buffer.from('x'))).not.toThrow();
  });

  it('is not read from a file that replaced it', () => {
    const { path, records, reader } = openLog();
    using log = new MessageLog(path);
    log.message('to-server', Buffer.from('true'));
    renameSync(path, `${path}.moved`);
    writeFileSync(`${path}.other`, '{"kind":"start","proxy":"000000000000","at":1}\n');
    symlinkSync(`${path}.other`, path);
    reader.read();
    expect(texts(records)).toEqual(['true']);
    expect(records.map(({ proxy }) => proxy)).not.toContain('000000000000');
    expect(reader.problems).toEqual([expect.stringContaining('replaced')]);
  });

  it('may be anything that a hostile agent writes there', () => {
    const message = fc.oneof(fc.json(), fc.string(), fc.constant('{"jsonrpc":"2.0","id":1,"method":"tools/call"}'));
    const record = fc.record(
      {
        kind: fc.constantFrom('start', 'message', 'oversized', 'full', 'end', 'other'),
        proxy: fc.constantFrom('0123456789ab', '../..', ''),
        at: fc.oneof(fc.double(), fc.string()),
        direction: fc.constantFrom('to-server', 'from-server'),
        text: message,
        bytes: fc.integer(),
        id: fc.oneof(fc.integer({ max: 2, min: 0 }), fc.string(), fc.constant(null)),
        endedBy: fc.constantFrom('agent', 'server', 'signal'),
        code: fc.constantFrom('MCP_SERVER_DIED', 'NONE', null),
        what: fc.string(),
        stderr: fc.string(),
        messagesLeftOut: fc.nat(),
      },
      { requiredKeys: [] },
    );
    const line = fc.oneof(
      record.map((value) => JSON.stringify(value)),
      fc.string(),
      fc.json(),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const { path, reader } = hostileLog();
        appendFileSync(path, lines.join('\n'));
        reader.read();
        reader[Symbol.dispose]();
      }),
      { seed: 5, numRuns: 150 },
    );
  });
});

function hostileLog() {
  const folder = mkdtempSync(join(tmpdir(), 'assay-record-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'log.jsonl');
  const server = new RecordedServer(
    { label: 's', transport: 'stdio', wording: null, surface: null, acceptsAnnouncedChanges: true },
    () => undefined,
    0,
  );
  return { path, reader: new LogReader(path, (record) => server.take(record)) };
}

describe('a message that is too long', () => {
  it('keeps its ids and flags', () => {
    const content = Array.from({ length: 5_000 }, (_, index) => ({
      type: 'text',
      text: `line ${index} ${'y'.repeat(500)}`,
    }));
    const short = shortened({ jsonrpc: '2.0', result: { content, isError: true }, id: 9 }, 100_000);
    expect(short).toMatchObject({ id: 9, result: { isError: true } });
    expect(JSON.stringify(short).length).toBeLessThan(250_000);
  });

  it('stays what it is when it is short, and is bounded when it is not', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(shortened(value, 1_000_000)).toEqual(value);
      }),
      { seed: 5, numRuns: 200 },
    );
  });
});
