import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageLines } from './message-lines.ts';

function read(chunks: readonly Buffer[], limitBytes: number): { lines: string[]; tooLong: string[] } {
  const lines: string[] = [];
  const tooLong: string[] = [];
  const reader = new MessageLines(limitBytes, {
    onLine: (line) => lines.push(line),
    onTooLong: (beginning) => tooLong.push(beginning),
  });
  for (const chunk of chunks) reader.append(chunk);
  return { lines, tooLong };
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

describe('lines of messages', () => {
  it('are the same wherever the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }).filter((line) => !line.includes('\n'))),
        fc.array(fc.nat()),
        (lines, places) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          expect(read(cut(bytes, places), 10_000)).toEqual({ lines, tooLong: [] });
        },
      ),
      { seed: 5, numRuns: 300 },
    );
  });

  it('that are too long are left out, and the next one is read', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), (places) => {
        const bytes = Buffer.from(`short\n${'x'.repeat(500)}\nafter\n`);
        const { lines, tooLong } = read(cut(bytes, places), 100);
        expect(lines).toEqual(['short', 'after']);
        expect(tooLong).toHaveLength(1);
        expect(tooLong[0]).toMatch(/^x{101,200}$/);
      }),
      { seed: 5, numRuns: 300 },
    );
  });

  it('without an end are not lines yet', () => {
    expect(read([Buffer.from('one\ntwo')], 100).lines).toEqual(['one']);
  });
});
