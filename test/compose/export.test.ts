import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decodeExport, encodeResponse } from '../../src/load/collect/otlp-protobuf.ts';
import { ended, startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { collectedTrials, collectToken, startCollecting } from '../../src/testing/support/collecting.ts';
import { listen } from '../../src/testing/support/http-server.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface SentRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly eventName?: string;
  readonly attributes: readonly Attribute[];
  readonly events?: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
}

/** A request as the receiver read it. */
interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly records: readonly SentRecord[];
  readonly text: string;
  /** Whether it was answered with a success. */
  isTaken: boolean;
}

type Answer = (response: ServerResponse, received: Received) => void;

const take: Answer = (response, received) => {
  received.isTaken = true;
  response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(encodeResponse(undefined));
};
const refuse =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end();
const cut: Answer = (response) => response.destroy();

/** A receiver of OTLP that answers as it is told. */
async function receiver(answer: Answer = take) {
  const state = { answer, received: [] as Received[], isReading: true };
  const server = createServer(async (request, response) => {
    if (!state.isReading) return;
    const sent = Buffer.concat(await request.toArray());
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const path = request.url ?? '';
    const signal = path.endsWith('/logs') ? 'logs' : 'traces';
    const isJson = request.headers['content-type'] === 'application/json';
    const message = isJson ? JSON.parse(bytes.toString('utf8')) : decodeExport(bytes, signal);
    const records = signal === 'logs' ? recordsIn(message, 'resourceLogs', 'scopeLogs', 'logRecords') : undefined;
    const received: Received = {
      path,
      headers: request.headers,
      records: records ?? recordsIn(message, 'resourceSpans', 'scopeSpans', 'spans'),
      text: JSON.stringify(message),
      isTaken: false,
    };
    state.received.push(received);
    state.answer(response, received);
  });
  const url = await listen(server, 'http');
  return Object.assign(state, { url });
}

/** Spans or log records by scope, and these by resource. */
type OtlpMessage = Readonly<Record<string, readonly Record<string, readonly Record<string, SentRecord[]>[]>[]>>;

function recordsIn(message: unknown, outer: string, inner: string, name: string): SentRecord[] {
  const resources = (message as OtlpMessage)[outer] ?? [];
  return resources.flatMap((resource) => (resource[inner] ?? []).flatMap((scope) => scope[name] ?? []));
}

const attributeIn = ({ attributes }: { readonly attributes: readonly Attribute[] }, name: string): unknown => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.doubleValue ?? value?.intValue;
};

/** How often each case was taken, from the spans of its trials. */
function casesTaken(received: readonly Received[]): Record<string, number> {
  const roots = received.filter(({ isTaken }) => isTaken).flatMap(({ records }) => records.filter(isTrial));
  const counts: Record<string, number> = {};
  for (const root of roots)
    counts[String(attributeIn(root, 'assay.case'))] = 1 + (counts[String(attributeIn(root, 'assay.case'))] ?? 0);
  return counts;
}

const isTrial = (span: SentRecord): boolean => attributeIn(span, 'assay.case') !== undefined;

const scenario = `name: echo
call: { command: "node echo.mjs" }
cases:
  - { name: good, input: { ok: true } }
  - { name: bad, input: { ok: false } }
  - { name: broken, input: { ok: crash } }
passCriteria: [result.ok === true]
`;
const program = `let text = ''; for await (const part of process.stdin) text += part;
const { ok } = JSON.parse(text); if (ok === 'crash') process.kill(process.pid, 'SIGKILL'); console.log(JSON.stringify({ ok, note: 'remark-4711-abcdef' }));`;

/** A project whose three trials are stored. */
async function storedProject(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = await temporaryFolder({ 's.yaml': scenario, 'echo.mjs': program, ...more });
  const run = await assay(['run', 's.yaml', '--quiet'], { cwd });
  expect(run.exitCode, run.stderr).toBe(1);
  return cwd;
}

const once3 = { good: 1, bad: 1, broken: 1 };

const send = (cwd: string, url: string, args: readonly string[] = ['latest'], env: Record<string, string> = {}) =>
  assay(['export', ...args, '--otlp', url, '--json'], { cwd, env });

describe('runs that are exported', () => {
  it('come out of `assay collect` with the same verdicts, and are not sent again', async () => {
    const cwd = await storedProject();
    const elsewhere = await temporaryFolder({});
    const collecting = await startCollecting(elsewhere);
    const env = { OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${collectToken}` };
    const first = await send(cwd, collecting.url, ['latest'], env);
    expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ sent: 3, waiting: [], failures: [] });
    expect(first.exitCode).toBe(0);
    const second = await send(cwd, collecting.url, ['latest'], env);
    expect(JSON.parse(second.stdout)).toMatchObject({ sent: 0, sentBefore: 3 });
    const third = await send(cwd, collecting.url, ['latest', '--again'], env);
    expect(JSON.parse(third.stdout)).toMatchObject({ sent: 3 });
    const { counts } = await collecting.stop();
    // The same ids each time, so the receiver recognises them.
    expect(counts).toMatchObject({ trials: 3, refused: 0 });
    expect(counts.duplicates).toBeGreaterThan(0);
    const trials = await collectedTrials(elsewhere);
    expect(Object.fromEntries(trials.map(({ caseId, outcome }) => [caseId, outcome]))).toEqual({
      good: 'pass',
      bad: 'fail',
      broken: 'error',
    });
  });

  it('have each verdict once: as log records, or as events of spans where those are not taken', async () => {
    const cwd = await storedProject();
    const modern = await receiver();
    await send(cwd, modern.url);
    const logs = modern.received.filter(({ path }) => path === '/v1/logs').flatMap(({ records }) => records);
    const roots = modern.received
      .filter(({ path }) => path === '/v1/traces')
      .flatMap(({ records }) => records.filter(isTrial));
    const outcomes = logs.filter((record) => attributeIn(record, 'gen_ai.evaluation.name') === 'outcome');
    expect(outcomes.map((record) => attributeIn(record, 'gen_ai.evaluation.score.label')).sort()).toEqual([
      'error',
      'fail',
      'pass',
    ]);
    expect(logs.every(({ eventName }) => eventName === 'gen_ai.evaluation.result')).toBe(true);
    expect(outcomes.map(({ spanId }) => spanId).sort()).toEqual(roots.map(({ spanId }) => spanId).sort());
    expect(roots.flatMap(({ events = [] }) => events)).toEqual([]);

    const older = await receiver((response, received) =>
      (received.path === '/v1/logs' ? refuse(404) : take)(response, received),
    );
    expect((await send(cwd, `${older.url}/v1/traces`)).exitCode).toBe(0);
    const spans = older.received.flatMap(({ path, records }) => (path === '/v1/traces' ? records.filter(isTrial) : []));
    const events = spans.flatMap((span) => span.events ?? []);
    expect(events.filter((event) => attributeIn(event, 'gen_ai.evaluation.name') === 'outcome')).toHaveLength(3);
  });

  it('are sent until they are taken: busy, limited and cut connections', async () => {
    const cwd = await storedProject();
    const answers = [refuse(503, { 'retry-after': '0' }), refuse(429, { 'retry-after': '0' }), cut, refuse(502), take];
    const target = await receiver((response, received) => (answers.shift() ?? take)(response, received));
    const env = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' };
    const run = await send(cwd, target.url, ['latest'], env);
    expect(JSON.parse(run.stdout), run.stderr).toMatchObject({ sent: 3, failures: [] });
    expect(casesTaken(target.received)).toEqual(once3);
    expect(target.received.at(-1)?.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'application/json',
    });
  });

  it('lose only the trial that the receiver refuses', async () => {
    const cwd = await storedProject();
    const target = await receiver((response, received) =>
      (received.path === '/v1/traces' && received.text.includes('"bad"') ? refuse(400) : take)(response, received),
    );
    const run = await send(cwd, target.url);
    expect(JSON.parse(run.stdout)).toMatchObject({ sent: 2, refused: 1, waiting: [] });
    expect(run.stderr).toMatch(/trial \S+ was refused \(status 400\); it is not sent again/);
    expect(run.exitCode).toBe(3);
    expect(casesTaken(target.received)).toEqual({ good: 1, broken: 1 });
    expect(JSON.parse((await send(cwd, target.url)).stdout)).toMatchObject({ sent: 0, refused: 0 });
  });

  it('report what the receiver rejected of a request that it took, and do not repeat it', async () => {
    const cwd = await storedProject();
    const target = await receiver((response, received) => {
      if (received.path === '/v1/logs') return take(response, received);
      received.isTaken = true;
      const partialSuccess = { rejectedSpans: 2, errorMessage: 'too old' };
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(encodeResponse(partialSuccess));
    });
    const run = await send(cwd, target.url);
    expect(JSON.parse(run.stdout)).toMatchObject({ sent: 3, rejected: 2 });
    expect(run.stderr).toContain('the receiver rejected 2 spans or log records: too old');
    expect(run.exitCode).toBe(3);
    await send(cwd, target.url);
    expect(casesTaken(target.received)).toEqual(once3);
  });

  it('wait while the receiver does not let them in, and hide its token', async () => {
    const cwd = await storedProject();
    const isOpen: Answer = (response, received) =>
      (received.headers.authorization === 'Bearer right-token-4711' ? take : refuse(401))(response, received);
    const target = await receiver(isOpen);
    const headers = (token: string) => ({ OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${token}` });
    const shut = await send(cwd, target.url, ['latest'], headers('wrong-token-4711'));
    expect(shut.exitCode).toBe(3);
    expect(JSON.parse(shut.stdout)).toMatchObject({ sent: 0, waiting: [expect.any(String)], failures: ['status 401'] });
    expect(shut.stdout + shut.stderr).not.toContain('4711');
    // Without a run: what waits.
    const open = await send(cwd, target.url, [], headers('right-token-4711'));
    expect(JSON.parse(open.stdout)).toMatchObject({ sent: 3, waiting: [] });
    expect(casesTaken(target.received)).toEqual(once3);
  });

  it('contain no secret of the environment, also one that was none when they were stored', async () => {
    const cwd = await storedProject();
    const target = await receiver();
    await send(cwd, target.url, ['latest'], { NOTE_API_KEY: 'remark-4711-abcdef' });
    const text = target.received.map((received) => received.text).join('');
    expect(text).toContain('note');
    expect(text).not.toContain('remark-4711');
  });

  it('are complete after a kill, and what was taken before it is not sent again', async () => {
    const cwd = await storedProject();
    const target = await receiver((response, received) => {
      // Never answered: the sender is killed meanwhile.
      if (received.path === '/v1/logs') take(response, received);
    });
    const child = startAssay(['export', 'latest', '--otlp', target.url], { cwd });
    onTestFinished(() => void child.kill('SIGKILL'));
    const end = ended(child);
    while (target.received.length < 2) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await end;
    target.answer = take;
    const run = await send(cwd, target.url, []);
    expect(JSON.parse(run.stdout), run.stderr).toMatchObject({ sent: 3, waiting: [], failures: [] });
    expect(casesTaken(target.received)).toEqual(once3);
    const logs = target.received.filter(({ path }) => path === '/v1/logs').flatMap(({ records }) => records);
    const identities = logs.map((record) => `${record.traceId} ${attributeIn(record, 'event.sequence')}`);
    expect(identities).toHaveLength(new Set(identities).size);
  });

  it('are sent by one process at a time', async () => {
    const cwd = await storedProject();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const target = await receiver((response, received) => void held.then(() => take(response, received)));
    const first = send(cwd, target.url);
    while (target.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = await send(cwd, target.url);
    expect(second.stderr).toContain('another process is sending to this receiver');
    expect(second.exitCode).toBe(3);
    release();
    expect(JSON.parse((await first).stdout)).toMatchObject({ sent: 3 });
    expect(casesTaken(target.received)).toEqual(once3);
  });
});

describe('a config with `export`', () => {
  const config = (url: string, more = '') => `export:\n  otlp: ${url}\n  headers: { x-team: '\${TEAM}' }\n${more}`;

  it('sends each run when it has ended; one that cannot be sent goes with the next', async () => {
    const target = await receiver(refuse(503));
    // Runs out on purpose: the receiver is busy during the first run.
    const files = {
      'assay.config.yaml': config(target.url, '  timeoutSecs: 0.2\n'),
      's.yaml': scenario,
      'echo.mjs': program,
    };
    const cwd = await temporaryFolder(files);
    const env = { TEAM: 'blue' };
    const first = await assay(['run', 's.yaml'], { cwd, env });
    expect(first.exitCode).toBe(1);
    expect(first.stderr).toMatch(/warning: Export to 127\.0\.0\.1:\d+: /);
    expect(first.stderr).toContain('will be sent after the next run, or with `assay export`');
    target.answer = take;
    const files2 = config(target.url, '  timeoutSecs: 60\n');
    await writeFile(`${cwd}/assay.config.yaml`, files2);
    const second = await assay(['run', 's.yaml'], { cwd, env });
    expect(second.stderr).not.toContain('Export');
    expect(casesTaken(target.received)).toEqual({ good: 2, bad: 2, broken: 2 });
    expect(target.received.at(-1)?.headers['x-team']).toBe('blue');
  });

  it.each([
    ['never answers', (): void => undefined],
    ['begins an answer and does not end it', (response: ServerResponse) => void response.writeHead(200).write('x')],
    ['reads nothing', 'unread' as const],
  ])('ends its run in time when the receiver %s, and sends everything later, once', async (_, answer) => {
    const target = await receiver(answer === 'unread' ? take : answer);
    target.isReading = answer !== 'unread';
    const cwd = await temporaryFolder({ 's.yaml': scenario, 'echo.mjs': program });
    // Runs out on purpose: the receiver is stuck during the first run.
    await writeFile(`${cwd}/assay.config.yaml`, config(target.url, '  timeoutSecs: 1\n'));
    const env = { TEAM: 'blue' };
    const stuck = await assay(['run', 's.yaml', '--json'], { cwd, env });
    expect(stuck.exitCode).toBe(1);
    expect(JSON.parse(stuck.stdout).totals).toMatchObject({ pass: 1, fail: 1, error: 1 });
    expect(stuck.stderr).toMatch(/Export to 127\.0\.0\.1:\d+: (?:it did not answer in time|the time was up)/);
    expect(stuck.stderr).toContain('will be sent after the next run, or with `assay export`');
    expect(casesTaken(target.received)).toEqual({});
    Object.assign(target, { answer: take, isReading: true });
    const later = await send(cwd, target.url, [], env);
    expect(JSON.parse(later.stdout), later.stderr).toMatchObject({ sent: 3, waiting: [], failures: [] });
    expect(casesTaken(target.received)).toEqual(once3);
  });

  it('is sent to a slow receiver in one request at a time, and continues where that became stuck', async () => {
    const many = 230;
    const names = Array.from({ length: many }, (_, index) => `case-${index}`);
    const cwd = await temporaryFolder({
      's.yaml': `name: many
call: { module: ./work.mjs, export: work }
cases:
${names.map((name) => `  - { name: ${name}, input: { ok: true } }\n`).join('')}passCriteria: [result.ok === true]
`,
      'work.mjs': 'export const work = (input) => input;',
    });
    const open = { now: 0, most: 0 };
    let noteStuck = (): void => undefined;
    const stuck = new Promise<void>((resolve) => (noteStuck = resolve));
    const target = await receiver((response, received) => {
      open.now += 1;
      open.most = Math.max(open.most, open.now);
      response.once('close', () => (open.now -= 1));
      const traces = target.received.filter(({ path }) => path === '/v1/traces');
      if (traces.length === 2) noteStuck();
      else setImmediate(() => take(response, received));
    });
    expect((await assay(['run', 's.yaml', '--quiet'], { cwd })).exitCode).toBe(0);
    const child = startAssay(['export', 'latest', '--otlp', target.url, '--json'], { cwd });
    onTestFinished(() => void child.kill('SIGKILL'));
    const end = ended(child);
    await stuck;
    child.kill('SIGINT');
    const interrupted = await end;
    expect(interrupted.exitCode, interrupted.stderr).toBe(130);
    expect(JSON.parse(interrupted.stdout)).toMatchObject({ sent: 100, waiting: [expect.any(String)] });
    target.answer = take;
    const second = await send(cwd, target.url, []);
    expect(JSON.parse(second.stdout), second.stderr).toMatchObject({ sent: 130, sentBefore: 100, waiting: [] });
    expect(casesTaken(target.received)).toEqual(Object.fromEntries(names.map((name) => [name, 1])));
    expect(open.most).toBe(1);
  });

  it('keeps at most 1,000 runs waiting, and names the one that it drops', async () => {
    const cwd = await storedProject();
    const target = await receiver(refuse(401));
    const { waiting } = JSON.parse((await send(cwd, target.url)).stdout);
    const db = new DatabaseSync(`${cwd}/.assay/export.db`);
    db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
      insert into runs select destination, 'r-' || i, 1000 + i, 1 from n, (select destination from runs limit 1)`);
    db.close();
    const full = await send(cwd, target.url);
    expect(full.stderr).toContain('run r-1 was dropped from the queue, because too many runs wait');
    const document = JSON.parse(full.stdout);
    expect(document.waiting).toHaveLength(1_000);
    expect(document.waiting.at(-1)).toBe(waiting[0]);
  });

  it.each([
    ['no receiver', {}, [], 'No OTLP receiver is named.'],
    [
      'another protocol',
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      ['--otlp', 'http://127.0.0.1:9'],
      'is "grpc", which is not supported',
    ],
    ['no URL', {}, ['--otlp', 'localhost:4318'], 'is not an http or https URL'],
  ])('refuses to guess: %s', async (_, env, args, message) => {
    const cwd = await temporaryFolder({});
    const run = await assay(['export', ...args], { cwd, env });
    expect(run.stderr).toContain(message);
    expect(run.exitCode).toBe(2);
  });
});
