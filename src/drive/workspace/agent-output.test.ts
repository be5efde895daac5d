import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineLimitBytes, OutputBudget, OutputLines } from './agent-output.ts';

function linesOf(chunks: readonly Uint8Array[], budget = new OutputBudget()): string[] {
  const received: string[] = [];
  const lines = new OutputLines(budget, (line) => received.push(line));
  for (const chunk of chunks) lines.push(Buffer.from(chunk));
  lines.end();
  return received;
}

describe('OutputLines', () => {
  it('finds the same lines however the bytes were cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'ö', '🎉', '\n', '\r\n'), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 80 }), { maxLength: 8 }), (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const expected = whole.split(/\r?\n/);
        if (expected.at(-1) === '') expected.pop();
        expect(linesOf(chunks)).toEqual(expected);
      }),
      { seed: 3, numRuns: 500 },
    );
  });

  it('cuts a line that is too long and says so', () => {
    const [long, next] = linesOf([Buffer.alloc(lineLimitBytes, 'x'), Buffer.from('yyyyy\nnext')]);
    expect(long).toBe(`${'x'.repeat(lineLimitBytes)} … 5 bytes left out …`);
    expect(next).toBe('next');
  });

  it('drops and counts lines once the whole is too much, also shorter ones', () => {
    const budget = new OutputBudget(10);
    expect(linesOf([Buffer.from('12345\n1234567\n1\n2')], budget)).toEqual(['12345']);
    expect(budget.droppedLines).toBe(3);
  });
});
