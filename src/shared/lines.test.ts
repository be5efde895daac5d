import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachLine } from './text.ts';

async function linesOf(chunks: readonly string[]): Promise<string[]> {
  async function* stream(): AsyncGenerator<string, void> {
    yield* chunks;
  }
  const lines: string[] = [];
  for await (const line of eachLine(stream())) lines.push(line);
  return lines;
}

const line = fc.string({ unit: fc.constantFrom('a', 'é', '🎉', '"', ' ') });

describe('eachLine', () => {
  it('gives the same lines however the text is cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1 }),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.nat({ max: 200 })),
        async (lines, end, cuts) => {
          const text = lines.map((each) => each + end).join('');
          const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
          const chunks = places.slice(1).map((place, index) => text.slice(places[index], place));
          expect(await linesOf(chunks)).toEqual(lines);
        },
      ),
      { seed: 4 },
    );
  });

  it('gives a last line without a line end, and drops a byte order mark', async () => {
    expect(await linesOf(['\uFEFFa\nb'])).toEqual(['a', 'b']);
    expect(await linesOf(['\uFEFF', 'a\n\n'])).toEqual(['a', '']);
    expect(await linesOf([])).toEqual([]);
  });
});
