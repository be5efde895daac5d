import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flakiness } from './flakiness.ts';
import { holm } from './holm.ts';
import { normalCdf, normalQuantile } from './normal.ts';
import { meanOverCases, passAtK, passHatK } from './pass-at-k.ts';
import { permutationTest } from './permutation-test.ts';
import { planRepeats } from './plan-repeats.ts';
import { signTest } from './sign-test.ts';

describe('signTest', () => {
  it.each([
    // Exact binomial tails: 2 (1 + 10) / 2^10, 2 (1 + 8 + 28) / 2^8, 2 / 2^6, and a tie.
    { gains: 9, losses: 1, p: 22 / 1_024 },
    { gains: 2, losses: 6, p: 74 / 256 },
    { gains: 6, losses: 0, p: 2 / 64 },
    { gains: 5, losses: 0, p: 2 / 32 },
    { gains: 4, losses: 4, p: 1 },
    { gains: 0, losses: 0, p: 1 },
  ])('of $gains gains and $losses losses is $p', ({ gains, losses, p }) => {
    expect(Math.abs(signTest(gains, losses) - p)).toBeLessThan(1e-9);
  });
});

describe('permutationTest', () => {
  it("agrees with Fisher's count for Darwin's maize (The Design of Experiments, 1935, section 21)", () => {
    const eighthsOfAnInch = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    const found = permutationTest(eighthsOfAnInch);
    expect(Math.abs(found.exact - 1_726 / 32_768)).toBeLessThan(1e-9);
    expect(found.mid).toBeLessThan(found.exact);
  });

  it('agrees with the sign test for many differences of one size', () => {
    const differences = [...Array<number>(560).fill(0.2), ...Array<number>(480).fill(-0.2)];
    expect(Math.abs(permutationTest(differences).mid - signTest(560, 480))).toBeLessThan(0.002);
  });

  it('does not take a sum for normal that one difference decides', () => {
    const differences = [...Array.from({ length: 1_200 }, (_, index) => (index % 2 === 0 ? 1 : -1)), 1_000];
    expect(permutationTest(differences).mid).toBeGreaterThan(0.4);
  });

  it('is the sign test when all differences have one size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 8 }), (gains, losses) => {
        const differences = [...Array<number>(gains).fill(0.2), ...Array<number>(losses).fill(-0.2), 0, 0];
        expect(permutationTest(differences).exact).toBeCloseTo(signTest(gains, losses), 9);
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  it('gives nearly the same for a sample of the flips as for all of them', () => {
    const differences = Array.from({ length: 18 }, (_, index) => Math.sin(index * 7) + 0.35);
    const all = permutationTest(differences).exact;
    const sampled = permutationTest([...differences, 1e-12, -1e-12]).exact;
    expect(Math.abs(all - sampled)).toBeLessThan(0.01);
  });

  it('says nothing about no differences', () => {
    expect(permutationTest([0, 0])).toEqual({ exact: 1, mid: 1 });
  });
});

describe('holm', () => {
  it("agrees with R's p.adjust(method = 'holm')", () => {
    expect(holm([0.01, 0.02, 0.03, 0.005]).map((p) => Number(p.toFixed(12)))).toEqual([0.03, 0.04, 0.04, 0.02]);
    expect(holm([0.5, 0.9])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});

describe('pass@k and pass^k', () => {
  it('are counted over all samples of k tries', () => {
    // C(7,3)/C(10,3) = 35/120 samples without a pass; C(3,3)/C(10,3) = 1/120 samples of passes only.
    expect(passAtK({ tried: 10, passed: 3 }, 3)).toBeCloseTo(1 - 35 / 120, 12);
    expect(passHatK({ tried: 10, passed: 3 }, 3)).toBeCloseTo(1 / 120, 12);
    expect(passHatK({ tried: 8, passed: 6 }, 4)).toBeCloseTo(15 / 70, 12);
  });

  it('are the same for one try, and are not made up for more tries than there were', () => {
    expect(passAtK({ tried: 4, passed: 1 }, 1)).toBe(passHatK({ tried: 4, passed: 1 }, 1));
    expect(passAtK({ tried: 2, passed: 2 }, 3)).toBeUndefined();
    expect(
      meanOverCases(
        [
          { tried: 5, passed: 5 },
          { tried: 1, passed: 1 },
        ],
        (tries) => passHatK(tries, 2),
      ),
    ).toBeUndefined();
  });

  it('are without bias: their mean over all outcomes of n tries is the true chance', () => {
    const chance = 0.3;
    let expected = 0;
    for (let bits = 0; bits < 64; bits++) {
      const passed = [...bits.toString(2)].filter((bit) => bit === '1').length;
      expected += chance ** passed * (1 - chance) ** (6 - passed) * (passHatK({ tried: 6, passed }, 3) ?? 0);
    }
    expect(expected).toBeCloseTo(chance ** 3, 12);
  });
});

describe('flakiness', () => {
  it('is the share that disagrees with the majority', () => {
    expect(flakiness({ tried: 5, passed: 4 })).toBeCloseTo(0.2);
    expect(flakiness({ tried: 4, passed: 2 })).toBe(0.5);
    expect(flakiness({ tried: 3, passed: 0 })).toBe(0);
    expect(flakiness({ tried: 0, passed: 0 })).toBe(0);
  });
});

describe('the normal distribution', () => {
  it.each([
    [0.975, 1.959963984540054],
    [0.8, 0.8416212335729143],
    [0.001, -3.090232306167813],
    [0.5, 0],
  ])('has the quantile of %d at %d', (chance, value) => {
    expect(Math.abs(normalQuantile(chance) - value)).toBeLessThan(1e-9);
    expect(Math.abs(normalCdf(value) - chance)).toBeLessThan(1e-9);
  });
});

describe('planRepeats', () => {
  const noise = { cases: 20, betweenCases: 0, withinCase: 0.4 };

  it('needs four times the repeats for half the difference', () => {
    const large = planRepeats(noise, 0.1, 1).repeats ?? 0;
    expect(planRepeats(noise, 0.05, 1).repeats).toBeGreaterThanOrEqual(4 * large - 4);
    // (1.96 + 0.84)^2 * 0.4 / (20 * 0.01) = 15.7
    expect(large).toBe(16);
  });

  it('says so when repeats cannot help because the cases differ too much', () => {
    const plan = planRepeats({ cases: 20, betweenCases: 0.2, withinCase: 0.4 }, 0.05, 5);
    expect(plan.repeats).toBeNull();
    expect(plan.cases).toBeGreaterThan(20);
  });
});
