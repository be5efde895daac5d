import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitVarying } from './normalize-text.ts';

const normalized = (text: string): string => splitVarying(text).normalized;

describe('splitVarying', () => {
  it.each([
    ['done in 412 ms', 'done in 9 ms'],
    ['saved at 2026-01-02T03:04:05.678Z', 'saved at 2025-11-30 23:59'],
    ['commit 3f2a9c1', 'commit 00ab12cd34'],
    ['order 0b6ff9a2-31d5-4b8e-9c65-0123456789ab', 'order ffffffff-0000-4000-8000-000000000000'],
    ['result of toolu_01A09q90qw90lq917835lq9', 'result of toolu_01BxxQ8812aaPPz77812340'],
    ['3/5 gates passed', '12/40 gates passed'],
    ['  two   spaces ', 'two spaces'],
    ['no file ./out/report-2.csv', 'no file /tmp/x.txt'],
  ])('takes %j and %j for alike', (one, other) => {
    expect(normalized(one)).toBe(normalized(other));
  });

  it.each([
    ['create --title', 'create --name'],
    ['guidance v1', 'guidance v2'],
    ['feedback', 'facade'],
  ])('keeps %j and %j apart', (one, other) => {
    expect(normalized(one)).not.toBe(normalized(other));
  });

  it('takes quoted texts out, and leaves apostrophes alone', () => {
    expect(normalized(`the agent's answer doesn't contain "a \\"b\\" c"`)).toBe(
      "the agent's answer doesn't contain <text>",
    );
    expect(normalized("wanted 'one' or `two`")).toBe('wanted <text> or <text>');
  });

  it('is done at once with texts of any length and shape', () => {
    for (const text of ['a-'.repeat(200_000), '/'.repeat(200_000), '"'.repeat(99_999), '9'.repeat(200_000)]) {
      expect(normalized(text).length).toBeLessThanOrEqual(6_000);
    }
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), (text) => {
        expect(typeof normalized(text)).toBe('string');
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});
