import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import { recordsOf, sideSource } from '../../testing/fakes/compare/compared-sides.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { type CompareOptions, compareSides } from './compare-sides.ts';
import type { Comparison, FigureAnswer } from './comparison.ts';

type Cases = Readonly<Record<string, string>>;

/** Compares two sides given by their endings. */
function compared(a: Cases, b: Cases, options: CompareOptions = {}): Promise<Comparison> {
  return compareRecords(recordsOf(a), recordsOf(b), options);
}

function compareRecords(
  a: readonly TrialRecord[],
  b: readonly TrialRecord[],
  options: CompareOptions = {},
): Promise<Comparison> {
  return compareSides(sideSource('before', a), sideSource('after', b), options);
}

/** Cases c1, c2, … with the given endings. */
function many(...endings: readonly string[]): Cases {
  return Object.fromEntries(endings.map((signs, index) => [`c${String(index).padStart(3, '0')}`, signs]));
}

function repeated(count: number, signs: string): string[] {
  return Array<string>(count).fill(signs);
}

function metricOf({ metrics }: Comparison, name: string): Comparison['metrics'][number] {
  const found = metrics.find((metric) => metric.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
}

function changes({ changedCases }: Comparison): string[] {
  return changedCases.map(({ caseId, change }) => `${caseId} ${change}`);
}

describe('the four answers', () => {
  it('better and worse', async () => {
    const [bad, good] = [many(...repeated(10, '+----')), many(...repeated(10, '++++-'))];
    const gain = await compared(bad, good);
    expect(gain.answer).toBe('better');
    expect(gain.summary).toMatch(
      /^On these 10 tasks, B is better: pass rate 20 % → 80 %\. For tasks like these, B is better\.$/,
    );
    expect((await compared(good, bad)).answer).toBe('worse');
  });

  it('no difference that matters', async () => {
    const same = many(...repeated(100, '++'));
    const { answer, summary } = await compared(same, same);
    expect(answer).toBe('no-difference');
    expect(summary).toMatch(
      /^On these 100 tasks, no difference of 5 points or more: pass rate 100 % → 100 %\. For tasks like these, no difference of 5 points or more\.$/,
    );
  });

  it('not enough data, and what would decide it', async () => {
    const { answer, metrics } = await compared(
      many('+-+', '+++', '---', '++-', '-+-', '+++'),
      many('++-', '-++', '-+-', '++-', '--+', '+++'),
    );
    expect(answer).toBe('not-enough-data');
    const plan = metrics[0]?.plan;
    expect(plan?.cases).toBeGreaterThan(6);
    expect(plan?.trials).toBe(plan?.repeats === null ? 2 * 3 * plan.cases : 2 * 6 * (plan?.repeats ?? 0));
    expect(plan?.costUsd).toBeCloseTo(0.01 * (plan?.trials ?? 0), 9);
    expect(plan?.durationMs).toBeCloseTo(100 * (plan?.trials ?? 0), 6);
  });

  it('are given by the smallest difference in the options', async () => {
    const sides = [many(...repeated(40, '++')), many(...repeated(40, '++'))] as const;
    expect((await compared(...sides)).answer).toBe('not-enough-data');
    const smallest = new Map([['pass-rate', { kind: 'absolute', value: 0.2 } as const]]);
    expect((await compared(...sides, { smallest })).answer).toBe('no-difference');
  });

  it('are higher or lower for a metric without a better direction', async () => {
    const of = (value: number) =>
      recordsOf(many(...repeated(10, '++')), ({ repeat }) => ({ metrics: { words: value + repeat } }));
    const answerOf = async (options: CompareOptions): Promise<FigureAnswer | undefined> =>
      metricOf(await compareRecords(of(10), of(50), options), 'words').typical?.answer;
    expect(await answerOf({})).toBe('higher');
    expect(await answerOf({ lowerIsBetter: ['words'] })).toBe('worse');
    expect(await answerOf({ higherIsBetter: ['words'] })).toBe('better');
  });

  it('are for the requested figure', async () => {
    const dear = recordsOf(many(...repeated(10, '+')), { costUsd: 0.05 });
    const comparison = await compareRecords(recordsOf(many(...repeated(10, '+'))), dear, { only: ['cost-usd'] });
    expect(comparison.metrics.map(({ name }) => name)).toEqual(['cost-usd']);
    expect(comparison.summary).toMatch(
      /^On these 10 tasks, B is worse: cost of a typical trial \$0\.01 → \$0\.05 \(5 times as much\)\. For tasks like these, B is typically worse\.$/,
    );
    expect(comparison.metrics[0]?.typical?.answer).toBe('worse');
  });

  it('of a mean that rare trials could turn are not given; of typical trials they are', async () => {
    const cheap = recordsOf(many(...repeated(20, '+')), { costUsd: 0.0072 });
    const { metrics, answer } = await compareRecords(recordsOf(many(...repeated(20, '+'))), cheap, {
      only: ['cost-usd'],
    });
    expect(answer).toBe('not-enough-data');
    expect(metrics[0]?.typical).toMatchObject({ ratio: expect.closeTo(0.72, 9), answer: 'better' });
  });

  it('say so when one trial makes the mean', async () => {
    const dear = recordsOf(many(...repeated(20, '+')), ({ caseId }) => ({ costUsd: caseId === 'c003' ? 1 : 0.01 }));
    const { notes } = await compareRecords(recordsOf(many(...repeated(20, '+'))), dear);
    expect(notes.join(' ')).toContain('One trial of sample › c003 makes up 84 % of all cost of B');
  });

  it('says how many agents were ended by their time limit before their work was judged', async () => {
    const late = recordsOf(many(...repeated(20, '+'))).map((record, index) =>
      index < 3 ? { ...record, timedOut: true as const } : record,
    );
    const { notes } = await compareRecords(recordsOf(many(...repeated(20, '+'))), late);
    expect(notes.filter((note) => note.includes('time limit'))).toEqual([
      'B: in 3 of 20 judged trials, the time limit ended the agent; the work that it left was judged.',
    ]);
  });

  it('say that a certain difference is smaller than matters', async () => {
    const of = (score: number) =>
      recordsOf(many(...repeated(60, '+')), ({ caseId }) => ({
        compositeScore: score + (Number(caseId.slice(1)) % 2) / 1_000,
      }));
    const comparison = await compareRecords(of(0.7), of(0.711), { only: ['composite-score'] });
    expect(comparison.metrics[0]).toMatchObject({ answer: 'better', isLessThanMatters: true });
    expect(comparison.summary).toMatch(/For tasks like these, B is better, but by less than matters\.$/);
  });

  it('need a case for each case: the same one under ten models is one', async () => {
    const of = (signs: string) =>
      Array.from({ length: 10 }, (_, model) =>
        recordsOf({ one: signs, two: signs, three: signs }, { variant: { model: `m${model}` } }),
      ).flat();
    const { answer, metrics } = await compareRecords(of('-'), of('+'));
    expect(answer).toBe('not-enough-data');
    expect(metrics[0]).toMatchObject({ cases: 3, units: 3, pairs: 30, onTheseTasks: { answer: 'better', cases: 3 } });
  });

  it('are by scenario where several scenarios have their own cases', async () => {
    const of = (signs: string) =>
      ['x', 'y', 'z'].flatMap((scenario) => recordsOf(many(...repeated(20, signs)), { scenario }));
    const { answer, metrics, notes } = await compareRecords(of('-'), of('+'));
    expect(answer).toBe('not-enough-data');
    expect(metrics[0]).toMatchObject({ cases: 60, units: 3, unitKind: 'scenario' });
    expect(notes.join(' ')).toContain('The 60 cases come from 3 scenarios');
  });

  it('are given for one task by its trials, beside the answer over tasks', async () => {
    const of = (rate: number) =>
      recordsOf({ one: '+'.repeat(25) }, ({ repeat }) => ({ compositeScore: rate + (repeat % 5) / 50 }));
    const comparison = await compareRecords(of(0.5), of(0.65), { only: ['composite-score'] });
    expect(comparison.answer).toBe('not-enough-data');
    expect(comparison.metrics[0]?.onTheseTasks).toMatchObject({ answer: 'better', cases: 1, trialsA: 25, trialsB: 25 });
    expect(comparison.summary).toMatch(
      /^On this task, B is better: composite score 54 % → 69 %\. For tasks like these, not enough data/,
    );
  });

  it('are not given where the trials that one side lost could turn them', async () => {
    const before = many(...repeated(106, '+'), ...repeated(44, '-'));
    const now = many(...repeated(105, '+'), ...repeated(34, '!'), ...repeated(11, '-'));
    const comparison = await compared(before, now);
    expect(comparison.answer).toBe('not-enough-data');
    expect(comparison.notes.join(' ')).toContain('0 % of the trials of A and 22.7 % of B could not be judged');
  });

  it('are corrected for the variants that the two were chosen from', async () => {
    const [some, more] = [
      many(...repeated(10, '-'), ...repeated(10, '+')),
      many(...repeated(3, '-'), ...repeated(17, '+')),
    ];
    expect((await compared(some, more)).answer).toBe('better');
    const chosen = await compared(some, more, { pairsOfVariants: 45 });
    expect(chosen.answer).toBe('not-enough-data');
    expect(chosen.notes.join(' ')).toContain('45 pairs of variants');
  });

  it('of other figures are corrected for having looked at many', async () => {
    const slow = recordsOf(many(...repeated(7, '+')), ({ caseId }) => ({
      durationMs: caseId === 'c000' ? 99 : 130,
      metrics: { a: 1, b: 2, c: 3, d: 4 },
    }));
    const comparison = await compareRecords(
      recordsOf(many(...repeated(7, '+')), { metrics: { a: 1, b: 2, c: 3, d: 4 } }),
      slow,
    );
    const duration = metricOf(comparison, 'duration-ms');
    expect(duration.pValue).toBeLessThan(0.05);
    expect(duration.adjustedP).toBeGreaterThan(0.05);
    expect(duration.answer).toBe('not-enough-data');
    expect(duration.level).toBeCloseTo(0.01 / 6, 9);
    expect(metricOf(comparison, 'pass-rate').adjustedP).toBe(metricOf(comparison, 'pass-rate').pValue);
  });
});

describe('input that says little', () => {
  it.each([
    { what: 'empty runs', a: {}, b: {}, words: 'A has no trials.' },
    { what: 'nothing judged', a: { one: '!o' }, b: { one: '+' }, words: '2 of 2 trials could not be judged' },
    { what: 'nothing judged', a: { one: '!o' }, b: { one: '+' }, words: 'no case was judged on both sides.' },
    { what: 'no case in common', a: { one: '+' }, b: { two: '+' }, words: 'A and B have no case in common.' },
  ])('$what: nothing to compare', async ({ a, b, words }) => {
    const comparison = await compared(a, b);
    expect(comparison).toMatchObject({ answer: 'nothing-to-compare', metrics: [] });
    expect([comparison.summary, ...comparison.notes].join(' ')).toContain(words);
  });

  it('one case cannot rule out chance, however clear it looks', async () => {
    const comparison = await compared({ one: '++++++++' }, { one: '--------' });
    expect(comparison.answer).toBe('not-enough-data');
    expect(comparison.metrics[0]?.interval).toBeUndefined();
    expect(comparison.metrics[0]?.plan).toMatchObject({ repeats: null, cases: expect.any(Number) });
    expect(comparison.summary).toContain(
      'For tasks like these, not enough data: there is only 1 case, and it takes 6 that differ.',
    );
    expect(changes(comparison)).toEqual(['one broke']);
  });

  it.each(['+++', '---'])('all %s on both sides leave room for what was not seen', async (signs) => {
    const comparison = await compared(many(...repeated(20, signs)), many(...repeated(20, signs)));
    expect(comparison.answer).toBe('not-enough-data');
    expect(comparison.metrics[0]?.plan?.cases).toBeGreaterThan(140);
    expect(comparison.notes.join(' ')).toContain('on both sides: such cases cannot show which side is better');
  });

  it('different repeats are averaged by case, and said', async () => {
    const comparison = await compared({ one: '+-', two: '+' }, { one: '+--+', two: '+++' });
    expect(comparison.metrics[0]).toMatchObject({ meanA: 0.75, meanB: 0.75, repeats: { fewest: 1, most: 4 } });
    expect(comparison.differences).toMatchObject([{ what: 'repeats', isDecisive: false }]);
  });

  it('numbers that are none are left out, and said', async () => {
    const broken = recordsOf({ one: '+++' }, ({ repeat }) => ({ metrics: { size: repeat === 2 ? Number.NaN : 4 } }));
    const comparison = await compareRecords(broken, recordsOf({ one: '+' }, { metrics: { size: 4 } }));
    expect(metricOf(comparison, 'size')).toMatchObject({ meanA: 4, meanB: 4, difference: 0 });
    expect(comparison.notes).toContain('A: 1 value of size left out, because they are not numbers.');
  });

  it('the 0 of a metric that failed is not a measurement', async () => {
    const failed = { kind: 'metric', state: 'error', success: true, value: 0, reason: 'broke' } as const;
    const a = recordsOf({ one: '++' }, ({ repeat }) =>
      repeat === 1
        ? {
            metrics: { latency: 0, named: 0 },
            evaluatorResults: [
              { ...failed, type: 'latency' },
              { ...failed, type: 'measure' },
            ],
          }
        : { metrics: { latency: 8, named: 6 } },
    );
    const comparison = await compareRecords(a, recordsOf({ one: '+' }, { metrics: { latency: 8, named: 6 } }));
    expect(metricOf(comparison, 'latency').meanA).toBe(8);
    expect(metricOf(comparison, 'named').meanA).toBe(6);
  });

  it('what was taken over from earlier runs is not evidence, and is said', async () => {
    const comparison = await compareRecords(
      recordsOf({ one: '+' }),
      recordsOf({ one: '+' }, { cachedFrom: 't', costUsd: 0 }),
    );
    expect(comparison.answer).toBe('nothing-to-compare');
    expect(comparison.notes.join(' ')).toContain('B: 1 cached trial, not counted as new evidence.');
  });

  it('cost and duration of trials that a recording answered are no figures of the model', async () => {
    const live = { costUsd: 0.5, durationMs: 9_000 };
    const replayed = { costUsd: 0, durationMs: 3, isReplayed: true } as const;
    const comparison = await compareRecords(recordsOf({ one: '+' }, live), recordsOf({ one: '+' }, replayed));
    expect(comparison.metrics.map(({ name }) => name)).toContain('pass-rate');
    expect(comparison.metrics.map(({ name }) => name)).not.toContain('cost-usd');
    expect(comparison.metrics.map(({ name }) => name)).not.toContain('duration-ms');
    expect(comparison.notes.join(' ')).toContain('B: cost-usd was not observed in 1 of 1 judged trial');
  });
});

describe('changed cases', () => {
  it('come in order of importance, with what broke', async () => {
    const gates = (record: TrialRecord) => ({
      gates: ['kept', 'lost'].map((gate_type) => ({
        gate_type,
        passed: gate_type === 'kept' || record.outcome === 'pass',
        message: gate_type,
      })),
    });
    const a = recordsOf({ fixed: '--', more: '-+', only: '+', gone: '+', less: '+++', broke: '++', same: '+-' }, gates);
    const b = recordsOf({ fixed: '++', more: '++', new: '+', gone: '!', less: '+--', broke: '--', same: '-+' }, gates);
    const comparison = await compareRecords(a, b);
    expect(changes(comparison)).toEqual([
      'broke broke',
      'less less-often',
      'gone unjudged',
      'only only-in-a',
      'fixed fixed',
      'more more-often',
      'new only-in-b',
    ]);
    expect(comparison.changedCases[0]).toMatchObject({
      broken: ['lost'],
      reason: 'fail of broke',
      trialA: 't-broke-1',
      trialB: 't-broke-1',
      ...{ passedA: 2, triedA: 2, passedB: 0, triedB: 2 },
    });
    expect(comparison.changedCases[1]).toMatchObject({ trialB: 't-less-2', passedB: 1, triedB: 3 });
    expect(comparison.changedCases[2]).toMatchObject({ reason: 'error of gone', triedB: 0 });
  });

  it('are paired by the parts of the variant that both sides share', async () => {
    const side = (model: string, signs: string) =>
      ['x', 'y'].flatMap((agent) => recordsOf({ one: signs }, { variant: { agent, model } }));
    const comparison = await compareRecords(side('small', '+'), side('large', '-'));
    expect(comparison.changedCases.map(({ variant, change }) => ({ variant, change }))).toEqual([
      { variant: { agent: 'x' }, change: 'broke' },
      { variant: { agent: 'y' }, change: 'broke' },
    ]);
    expect(comparison.differences).toMatchObject([{ what: 'model', message: 'model: small in A, large in B' }]);
  });
});

describe('properties', () => {
  const cases = fc
    .array(
      fc.tuple(fc.stringMatching(/^[+\-!]{0,4}$/), fc.stringMatching(/^[+\-!]{0,4}$/), fc.integer({ min: 0, max: 50 })),
      { maxLength: 25 },
    )
    .map((pairs) => {
      const side = (index: 0 | 1): TrialRecord[] =>
        recordsOf(many(...pairs.map((pair) => pair[index])), ({ ordinal }) => ({
          durationMs: 100 + ((ordinal * 37 + (pairs[ordinal % pairs.length]?.[2] ?? 0)) % 90),
        }));
      return [side(0), side(1)] as const;
    });
  const mirrored: Readonly<Record<string, string>> = {
    ...{ better: 'worse', worse: 'better', higher: 'lower', lower: 'higher' },
    ...{ broke: 'fixed', fixed: 'broke', 'less-often': 'more-often', 'more-often': 'less-often' },
    ...{ 'only-in-a': 'only-in-b', 'only-in-b': 'only-in-a' },
  };
  const mirror = (word: string): string => mirrored[word] ?? word;

  it('swapping the sides mirrors every answer', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ([a, b]) => {
        const [there, back] = [await compareRecords(a, b), await compareRecords(b, a)];
        expect(back.metrics.map(({ name, answer }) => [name, answer])).toEqual(
          there.metrics.map(({ name, answer }) => [name, mirror(answer)]),
        );
        for (const [index, { difference, adjustedP }] of back.metrics.entries()) {
          expect(difference).toBeCloseTo(-(there.metrics[index]?.difference ?? 0), 9);
          expect(adjustedP).toBeCloseTo(there.metrics[index]?.adjustedP ?? 0, 9);
        }
        expect(changes(back).sort()).toEqual(
          there.changedCases.map(({ caseId, change }) => `${caseId} ${mirror(change)}`).sort(),
        );
      }),
      { seed: 7, numRuns: repetitions({ usual: 15, inFull: 40 }) },
    );
  });

  it('a run compared with itself has not changed', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ([a]) => {
        const { metrics, changedCases, differences } = await compareSides(sideSource('r', a), sideSource('r', a));
        expect(metrics.every(({ answer }) => answer === 'no-difference' || answer === 'not-enough-data')).toBe(true);
        expect(metrics.every(({ difference }) => difference === 0)).toBe(true);
        expect([changedCases, differences]).toEqual([[], []]);
      }),
      { seed: 8, numRuns: repetitions({ usual: 8, inFull: 25 }) },
    );
  });

  it('no number that is shown is none', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ([a, b]) => {
        const text = JSON.stringify(await compareRecords(a, b), (_, value: unknown) => {
          if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('not a number');
          return value;
        });
        expect(text).toContain('assay.compare/1');
      }),
      { seed: 9, numRuns: repetitions({ usual: 10, inFull: 30 }) },
    );
  });
});

describe('figures that were not observed', () => {
  const cases = many(...repeated(10, '+'));
  const reporting = recordsOf(cases, { metrics: { 'token-usage': 1_728 } });

  it('are reported as missing, and never as better or worse', async () => {
    const silent = recordsOf(cases, { metrics: { 'token-usage': null }, costUsd: null, durationMs: null });
    const comparison = await compareRecords(reporting, silent);
    expect(comparison.metrics.map(({ name }) => name)).toEqual(['pass-rate']);
    expect(comparison.notes.join('\n')).toContain('B: token-usage was not observed in 10 of 10 judged trials');
    expect(comparison.notes.join('\n')).toContain('B: cost-usd was not observed in 10 of 10 judged trials');
    expect(comparison.b.costUsd).toBeNull();
  });

  it('do not keep those that were from being compared', async () => {
    const halved = recordsOf(cases, ({ ordinal }) => ({ metrics: { 'token-usage': ordinal < 5 ? null : 864 } }));
    const comparison = await compareRecords(reporting, halved);
    expect(metricOf(comparison, 'token-usage')).toMatchObject({ cases: 5, meanA: 1_728, meanB: 864 });
    expect(comparison.notes.join('\n')).toContain('B: token-usage was not observed in 5 of 10 judged trials');
  });
});
