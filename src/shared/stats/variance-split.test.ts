import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../seeded-random.ts';
import { splitVariance } from './variance-split.ts';

/** Strength of fabric from four looms, four samples each: the random effects example of Montgomery's textbook. */
const looms = [
  [98, 97, 99, 96],
  [91, 90, 93, 92],
  [96, 95, 97, 95],
  [95, 96, 99, 98],
];

describe('splitVariance', () => {
  it('gives the published components of the looms', () => {
    const split = splitVariance([looms]);
    expect(split).toMatchObject({ cases: 1, traces: 4, judgements: 16 });
    expect(split.judge).toBeCloseTo(22.75 / 12, 9);
    expect(split.agent).toBeCloseTo((89.1875 / 3 - 22.75 / 12) / 4, 9);
    expect(split.judgeShare).toBeCloseTo(1.8958 / (1.8958 + 6.9583), 4);
  });

  it('takes the whole spread for the judge where the traces differ no more than judgements do', () => {
    expect(
      splitVariance([
        [
          [0, 1],
          [1, 0],
        ],
      ]),
    ).toMatchObject({ judge: 0.5, agent: 0, judgeShare: 1 });
  });

  it('takes the whole spread for the agent where the judge always says the same', () => {
    expect(
      splitVariance([
        [
          [0, 0],
          [1, 1],
        ],
      ]),
    ).toMatchObject({ judge: 0, agent: 0.5, judgeShare: 0 });
  });

  it('does not count what cases differ in', () => {
    const split = splitVariance([
      [
        [0, 0],
        [0, 0],
      ],
      [
        [1, 1],
        [1, 1],
      ],
    ]);
    expect(split).toMatchObject({ judge: 0, agent: 0, judgeShare: null });
  });

  it('takes the dust of adding fractions for no difference', () => {
    const steady = [0.1, 0.1, 0.1];
    expect(splitVariance([[steady, steady, steady]])).toMatchObject({ judge: 0, agent: 0, judgeShare: null });
    expect(
      splitVariance([
        [
          [1, 0, 1],
          [1, 1, 0],
        ],
      ]),
    ).toMatchObject({ agent: 0, judgeShare: 1 });
  });

  it('says nothing where nothing can be known', () => {
    const nothing = { judge: null, agent: null, judgeShare: null };
    expect(splitVariance([])).toEqual({ cases: 0, traces: 0, judgements: 0, ...nothing });
    expect(splitVariance([[]])).toMatchObject({ cases: 0, ...nothing });
    expect(splitVariance([[[0.5], [0.7]]])).toMatchObject({ traces: 2, judgements: 2, ...nothing });
    expect(splitVariance([[[0.5, 0.7]]])).toMatchObject({ judge: expect.closeTo(0.02), agent: null, judgeShare: null });
  });

  it('leaves out values that are not numbers', () => {
    const odd = [[Number.NaN], [Number.POSITIVE_INFINITY, Number.NaN]];
    expect(splitVariance([[...looms, ...odd], odd])).toEqual(splitVariance([looms]));
  });

  const score = fc.double({ min: 0, max: 1, noNaN: true });
  const cases = fc.array(fc.array(fc.array(score, { maxLength: 5 }), { maxLength: 5 }), { maxLength: 5 });

  it('gives parts that are never negative, and a share from 0 to 1', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { judge, agent, judgeShare } = splitVariance(given);
        for (const figure of [judge, agent, judgeShare]) {
          expect(figure === null || (Number.isFinite(figure) && figure >= 0)).toBe(true);
        }
        expect(judgeShare ?? 0).toBeLessThanOrEqual(1);
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it('finds the parts that scores were made from, with unequal numbers of repeats and judgements', () => {
    const random = seededRandom(11);
    const noise = (deviation: number): number => (random() - 0.5) * Math.sqrt(12) * deviation;
    const made = Array.from({ length: 400 }, (_, index) =>
      Array.from({ length: 2 + (index % 4) }, (__, repeat) => {
        const trace = noise(0.3);
        return Array.from({ length: 1 + ((index + repeat) % 4) }, () => trace + noise(0.15));
      }),
    );
    const split = splitVariance(made);
    expect(Math.sqrt(split.judge ?? 0)).toBeCloseTo(0.15, 2);
    expect(Math.sqrt(split.agent ?? 0)).toBeCloseTo(0.3, 2);
  });
});
