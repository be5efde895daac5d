import { describe, expect, it } from 'vitest';
import { normalCdf, normalQuantile } from './distributions.ts';
import { pairedVariance, planRepeats } from './plan-repeats.ts';
import { flakiness, meanOverCases, passAtK, passHatK } from './repeated-passes.ts';
import { holm } from './sign-test.ts';

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
  const noise = { units: 20, betweenUnits: 0, withinUnit: 0.4, unsettledShare: 1 };

  it('needs four times the repeats for half the difference', () => {
    const large = planRepeats(noise, 0.1, 1, true).repeats ?? 0;
    expect(planRepeats(noise, 0.05, 1, true).repeats).toBeGreaterThanOrEqual(4 * large - 8);
    // (2.09 + 0.95)^2 * 0.4 / (20 * 0.01) = 18.5, and a little for the two further units.
    expect(large).toBeGreaterThanOrEqual(18);
    expect(large).toBeLessThanOrEqual(22);
  });

  it('says so when repeats cannot help because the cases differ too much, or are too few', () => {
    const plan = planRepeats({ ...noise, betweenUnits: 0.2 }, 0.05, 5, true);
    expect(plan.repeats).toBeNull();
    expect(plan.cases).toBeGreaterThan(20);
    expect(planRepeats({ ...noise, units: 5 }, 0.3, 5, true).repeats).toBeNull();
  });

  it('takes cases that always pass to break altogether, where they change at all', () => {
    const passing = Array.from({ length: 20 }, (_, index) => ({ unit: `${index}`, a: [1, 1, 1], b: [1, 1, 1] }));
    const plan = planRepeats(pairedVariance(passing), 0.05, 3, true);
    expect(plan.repeats).toBeNull();
    // Six of so many cases break four times in five when one in twenty does.
    expect(plan.cases).toBeGreaterThan(140);
    expect(plan.cases).toBeLessThan(190);
  });

  it('splits what differs between cases from what differs between repeats', () => {
    const cases = [
      { unit: 'a', a: [0, 1], b: [0, 1] },
      { unit: 'b', a: [1, 1], b: [0, 0] },
    ];
    expect(pairedVariance(cases)).toEqual({ units: 2, betweenUnits: 0.25, withinUnit: 0.5, unsettledShare: 0.5 });
  });
});
