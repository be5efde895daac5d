import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCallEnd, parseCallStart } from './call-record.ts';

const whole = (text: string) => ({ bytes: Buffer.from(text, 'latin1'), bytesLeftOut: 0 });
const fields = (...values: (string | number)[]) => whole(values.map((value) => `${value}\0`).join(''));

describe('the record of a call', () => {
  it('records how it began', () => {
    expect(parseCallStart(fields(1, 1, 1700000000000.5, '/work', 'tool', '', 'a\nb'))).toEqual({
      argv: ['tool', '', 'a\nb'],
      cwd: '/work',
      isNested: true,
      startedAt: 1700000000000.5,
    });
    expect(parseCallStart(fields(1, 0, '', '/', 'tool'))).toMatchObject({ isNested: false, startedAt: undefined });
  });

  it('records how it ended', () => {
    expect(parseCallEnd(fields(1, 'exit', 3, 1.5, 3, 'out', '', '-', '', '', '.'))).toEqual({
      exitCode: 3,
      signal: null,
      lostReader: false,
      waitedMs: 0,
      durationMs: 1.5,
      stdout: { text: 'out', truncatedBytes: 0 },
      stderr: null,
    });
    expect(parseCallEnd(fields(1, 'signal', 15, '', 100, 'a\\0', '\\\\b', 0, '', '', '.'))).toEqual({
      exitCode: null,
      signal: 'SIGTERM',
      lostReader: false,
      waitedMs: 0,
      durationMs: undefined,
      stdout: { text: 'a\0\n… 96 bytes left out …\n\\b', truncatedBytes: 96 },
      stderr: { text: '', truncatedBytes: 0 },
    });
    expect(parseCallEnd(fields(1, 'signal', 40, '', '-', '', '', '-', '', '', '.'))?.signal).toBe('signal 40');
  });

  it('is refused when it is not whole', () => {
    const end = fields(1, 'exit', 3, 1.5, 3, 'out', '', '-', '', '', '.').bytes;
    for (let length = 0; length < end.length; length++) {
      expect(parseCallEnd({ bytes: end.subarray(0, length), bytesLeftOut: 0 })).toBeUndefined();
    }
    expect(parseCallEnd({ bytes: end, bytesLeftOut: 1 })).toBeUndefined();
    expect(parseCallStart(whole('1\x000\0\0/\0tool'))).toBeUndefined();
  });

  it.each([
    fields(2, 0, '', '/', 'tool'),
    fields(1, 2, '', '/', 'tool'),
    fields(1, 0, 'x', '/', 'tool'),
    fields(1, 0, '', 'relative', 'tool'),
    fields(1, 0, '', '/'),
  ])('is refused as junk: %j', (bytes) => {
    expect(parseCallStart(bytes)).toBeUndefined();
  });

  it('never throws, whatever is written', () => {
    const part = fc.oneof(fc.constantFrom('1', '0', '/', 'exit', 'signal', '.', '-', '', '\\', '\\0'), fc.string());
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), fc.nat(3), (parts, bytesLeftOut) => {
        const bytes = Buffer.from(parts.map((text) => `${text}\0`).join(''));
        const start = parseCallStart({ bytes, bytesLeftOut });
        const end = parseCallEnd({ bytes, bytesLeftOut });
        if (start) expect(start.argv.length).toBeGreaterThan(0);
        if (end) expect(end.exitCode === null).toBe(end.signal !== null);
      }),
      { seed: 4, numRuns: 5_000 },
    );
  });
});
