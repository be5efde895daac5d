import { describe, expect, it } from 'vitest';
import { brokenCases, canTellBroken, chanceOfDrop } from './broken-cases.ts';

const pair = (passedBefore: number, passedNow: number, tried = 5) => ({
  before: { passed: passedBefore, failed: tried - passedBefore },
  now: { passed: passedNow, failed: tried - passedNow },
});

describe('chanceOfDrop', () => {
  it.each([
    // Hypergeometric tails: 1 / C(10,5), 5 / C(10,4), 10 / C(10,3), 10 / C(10,2).
    { before: 5, now: 0, p: 1 / 252 },
    { before: 5, now: 1, p: 5 / 210 },
    { before: 5, now: 2, p: 10 / 120 },
    { before: 5, now: 3, p: 10 / 45 },
    { before: 5, now: 5, p: 1 },
    { before: 0, now: 0, p: 1 },
    // C(5,4) C(5,1) + C(5,5) C(5,0) of C(10,5).
    { before: 4, now: 1, p: 26 / 252 },
  ])('from $before of 5 to $now of 5 is $p', ({ before, now, p }) => {
    expect(chanceOfDrop(pair(before, now))).toBeCloseTo(p, 10);
  });

  it('of many trials is that of whole-number arithmetic', () => {
    // Sums of exact binomial coefficients, divided once.
    expect(chanceOfDrop(pair(90, 82, 100))).toBeCloseTo(0.07640925799068, 10);
    expect(chanceOfDrop(pair(9_000, 8_900, 10_000))).toBeCloseTo(0.01118943740024, 8);
  });
});

describe('broken cases', () => {
  it('are distinguished from flaky ones', () => {
    expect(brokenCases([pair(5, 3), pair(5, 0), pair(5, 5), pair(3, 3)])).toEqual([false, true, false, false]);
  });

  it('stay broken among many that always pass, and when many break at once', () => {
    const steady = Array.from({ length: 500 }, () => pair(5, 5));
    expect(brokenCases([pair(5, 0), ...steady])[0]).toBe(true);
    expect(brokenCases(Array.from({ length: 50 }, () => pair(5, 0)))).not.toContain(false);
  });

  it('are not found among many that fail as often before as now', () => {
    const flaky = Array.from({ length: 40 }, (_, index) => pair(index % 2 === 0 ? 4 : 1, index % 2 === 0 ? 1 : 4));
    expect(brokenCases([pair(5, 1), ...flaky])).not.toContain(true);
  });

  it('cannot be distinguished from flaky ones with fewer than three trials on each side', () => {
    expect([pair(1, 0, 1), pair(2, 0, 2), pair(3, 0, 3), pair(5, 3)].map(canTellBroken)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(brokenCases([pair(1, 0, 1), pair(2, 0, 2)])).toEqual([false, false]);
    expect(brokenCases([])).toEqual([]);
  });
});
