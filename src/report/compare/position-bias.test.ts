import { describe, expect, it } from 'vitest';
import type { JudgedPair } from './judged-pair.ts';
import { positionBias, positionBiasText } from './position-bias.ts';

/** Pairs that were judged in both orders; the judge takes the first, or always A. */
function pairs(count: number, takes: 'first' | 'a'): JudgedPair[] {
  const showing = (first: 'a' | 'b') => ({ first, preferred: takes === 'first' ? first : 'a' });
  return Array.from(
    { length: count },
    (_, index) =>
      ({ scenario: 's', caseId: `c${index}`, orders: [showing('a'), showing('b')] }) as unknown as JudgedPair,
  );
}

describe('position bias', () => {
  it('is found where the judge always takes the first, once there are enough pairs', () => {
    expect(positionBias(pairs(8, 'first'))).toMatchObject({ shareFirst: 1, answer: 'prefers-first' });
  });

  it('is never denied where every answer was for the first', () => {
    const few = positionBias(pairs(3, 'first'));
    expect(few).toMatchObject({ shareFirst: 1, answer: 'not-enough-data' });
    expect(few && positionBiasText(few)).toMatch(
      /^Not enough pairs to show whether the judge prefers a place: .* 100 %/,
    );
  });

  it('is not found where the order changes nothing', () => {
    expect(positionBias(pairs(8, 'a'))).toMatchObject({ shareFirst: 0.5, answer: 'not-found' });
  });
});
