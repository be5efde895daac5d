import { describe, expect, it } from 'vitest';
import { canTellBroken, caseDrops, chanceOfDrop } from './broken-cases.ts';

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

const many = (count: number, one: ReturnType<typeof pair>) => Array.from({ length: count }, () => one);
const broken = (pairs: Parameters<typeof caseDrops>[0]) => Array.from(caseDrops(pairs), ({ isBroken }) => isBroken);

/** As flaky as suites usually are: most cases always or never pass, one in ten is in between. */
const usualSuite = [
  ...many(120, pair(5, 5)),
  ...many(40, pair(0, 0)),
  ...many(10, pair(4, 5)),
  ...many(10, pair(5, 4)),
  ...many(5, pair(3, 4)),
  ...many(5, pair(2, 1)),
  ...many(5, pair(1, 0)),
  ...many(4, pair(3, 3)),
];

describe('broken cases', () => {
  it('are distinguished from flaky ones', () => {
    expect(broken([pair(5, 3), pair(5, 0), pair(5, 5), pair(3, 3)])).toEqual([false, true, false, false]);
  });

  it('are found where one of 200 goes from 5 of 5 to 0 of 5', () => {
    const found = [...caseDrops([pair(5, 0), ...usualSuite])];
    expect(found[0]?.isBroken).toBe(true);
    expect(found[0]?.chance).toBeLessThan(0.05);
    expect(found.slice(1).some(({ isBroken }) => isBroken)).toBe(false);
  });

  it('are found together where each alone is not', () => {
    // Of 50 cases x 3, as flaky as suites usually are: one flip in every fifth run is chance, two are not.
    const rest = [
      ...many(24, pair(3, 3, 3)),
      ...many(8, pair(0, 0, 3)),
      ...many(4, pair(3, 2, 3)),
      ...many(4, pair(2, 3, 3)),
      ...many(2, pair(1, 2, 3)),
      ...many(2, pair(2, 1, 3)),
      ...many(4, pair(1, 0, 3)),
    ];
    expect(broken([pair(3, 0, 3), pair(3, 3, 3), ...rest])).not.toContain(true);
    expect(broken([pair(3, 0, 3), pair(3, 0, 3), ...rest]).slice(0, 3)).toEqual([true, true, false]);
    const coins = many(1_000, pair(1, 2, 3));
    expect(broken([pair(3, 0, 3), pair(3, 0, 3), ...coins])).not.toContain(true);
    expect(broken([pair(3, 0, 3), ...many(100_000, pair(1, 2, 3))])).not.toContain(true);
  });

  it('stay broken among many that always pass, and when all break at once', () => {
    expect(broken([pair(5, 0), ...many(500, pair(5, 5))])[0]).toBe(true);
    expect(broken(many(50, pair(5, 0)))).not.toContain(false);
    expect(broken(many(400, pair(5, 0)))).not.toContain(false);
  });

  it('need not have broken completely in a suite that is steady otherwise', () => {
    expect(broken([pair(5, 1), ...many(100, pair(5, 5))])[0]).toBe(true);
  });

  it('are not found in a suite of coins, where flips are no news', () => {
    const coins = Array.from({ length: 200 }, (_, index) => pair(1 + (index % 4), 1 + ((index + 2) % 4)));
    const found = [...caseDrops([pair(5, 0), ...coins])];
    expect(found[0]).toMatchObject({ isBroken: false });
    expect(found[0]?.chance).toBeGreaterThan(0.1);
    // The chance of one ending of so many trials is too small for a number.
    expect(caseDrops([pair(5, 0), pair(500, 500, 1_000), ...coins]).at(0)).toMatchObject({ isBroken: false });
  });

  it('are not found among many that fail as often before as now', () => {
    const flaky = Array.from({ length: 40 }, (_, index) => pair(index % 2 === 0 ? 4 : 1, index % 2 === 0 ? 1 : 4));
    expect(broken([pair(5, 1), ...flaky])).not.toContain(true);
  });

  it('cannot be distinguished from flaky ones with fewer than three trials on each side', () => {
    expect([pair(1, 0, 1), pair(2, 0, 2), pair(3, 0, 3), pair(5, 3)].map(canTellBroken)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(broken([pair(1, 0, 1), pair(2, 0, 2)])).toEqual([false, false]);
    expect(broken([])).toEqual([]);
  });

  it('are found with so many trials that their patterns are not counted one by one', () => {
    expect(broken([pair(900, 700, 1_000), pair(900, 890, 1_000)])).toEqual([true, false]);
  });
});
