import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import { recordsOf, sideSource } from '../../testing/fakes/compare/compared-sides.ts';
import { compareSides } from './compare-sides.ts';
import type { Comparison, MetricComparison } from './comparison.ts';
import { tasksCell } from './figure-rows.ts';
import { checkRegressions } from './regressions.ts';
import { collectSide } from './side-collector.ts';

function compared(a: readonly TrialRecord[], b: readonly TrialRecord[]): Promise<Comparison> {
  return compareSides(sideSource('A', a), sideSource('B', b));
}

/** So many cases that always pass, of which the first ones have these endings. */
function suite(count: number, repeats: number, first: readonly string[] = []): TrialRecord[] {
  const endings = Array.from({ length: count }, (_, index) => first[index] ?? '+'.repeat(repeats));
  return recordsOf(Object.fromEntries(endings.map((signs, index) => [`c${index}`, signs])));
}

describe('on these tasks', () => {
  it('three of twenty cases that go from 10 of 10 to 0 of 10 are worse, and are named', async () => {
    const broken = '-'.repeat(10);
    const found = await compared(suite(20, 10), suite(20, 10, [broken, broken, broken]));
    expect(found).toMatchObject({ answer: 'not-enough-data', answerOnTheseTasks: 'worse' });
    expect(found.summary).toMatch(/^On these 20 tasks, B is worse: pass rate 100 % → 85 %; 3 cases broke /);
    expect(found.summary).toContain('3 cases broke (sample › c0: passed 10 of 10, now 0 of 10, sample › c1');
    expect(found.summary).toContain(
      'For tasks like these, not enough data: only 3 of 20 cases differ, and it takes 6.',
    );
  });

  it('a case that broke is the answer where the mean has none', async () => {
    const coin = ['+++++', '+++--', '++---', '+----', '--+++', '-++++'];
    const found = await compared(
      suite(20, 5, coin),
      suite(20, 5, ['-----', '++++-', '+++--', '++---', '-++++', '--+++']),
    );
    const [metric] = found.metrics;
    expect(metric?.onTheseTasks).toMatchObject({ answer: 'worse', decidedBy: { change: 'broke', count: 1 } });
    expect(metric?.onTheseTasks.interval?.high).toBeGreaterThan(0);
    expect(found.answerOnTheseTasks).toBe('worse');
    // The table says the same as the headline.
    expect(tasksCell(metric as MetricComparison)).toMatch(/^worse: 1 case broke \(mean −\S+ to \S+\)$/);
    expect(found.summary).toMatch(
      /^On these 20 tasks, B is worse: 1 case broke \(sample › c0: passed 5 of 5, now 0 of 5\); pass rate /,
    );
  });

  it('swapping the sides makes what broke fixed', async () => {
    const broken = '-'.repeat(10);
    const found = await compared(suite(20, 10, [broken, broken]), suite(20, 10));
    expect(found.answerOnTheseTasks).toBe('better');
    expect(found.summary).toContain('2 cases were fixed (');
  });

  it('one case of 200 that goes from 5 of 5 to 0 of 5 fails a release check, with its name and its counts', async () => {
    const flaky = ['+++++', ...Array.from({ length: 12 }, () => '+++--')];
    const before = await collectSide(sideSource('main', suite(200, 5, flaky)));
    const now = await collectSide(sideSource('now', suite(200, 5, ['-----', ...flaky.slice(1)])));
    const check = checkRegressions(before, now, {});
    expect(check.outcome).toBe('fail');
    expect(check.regressions).toContainEqual(
      expect.objectContaining({ rule: 'case', caseId: 'c0', message: 'broken: passed 5 of 5 before, 0 of 5 now' }),
    );
  });

  it('a case that always passed before is never called flaky', async () => {
    const before = await collectSide(sideSource('main', suite(40, 5, ['+++++', '+++--'])));
    const now = await collectSide(sideSource('now', suite(40, 5, ['++++-', '++---'])));
    const { failing, outcome } = checkRegressions(before, now, {});
    expect(failing.map(({ caseId, kind }) => [caseId, kind])).toEqual([
      ['c0', 'unclear'],
      ['c1', 'flaky'],
    ]);
    expect(outcome).toBe('pass');
  });

  it('0 of 6 against 6 of 6 has an interval, not a point', async () => {
    const found = await compared(suite(1, 6, ['------']), suite(1, 6));
    const { interval, answer } = found.metrics[0]?.onTheseTasks ?? {};
    expect(answer).toBe('better');
    expect(interval?.low).toBeGreaterThan(0.3);
    expect(interval?.low).toBeLessThan(0.7);
    expect(interval?.high).toBe(1);
  });

  it('trials that both sides lost may all have passed on one side and failed on the other', async () => {
    const lost = (signs: string) =>
      suite(
        50,
        5,
        Array.from({ length: 50 }, () => signs),
      );
    const found = await compared(lost('++++!'), lost('+++-!'));
    expect(found.metrics[0]?.onTheseTasks).toMatchObject({ answer: 'not-enough-data' });
    expect(found.notes.join(' ')).toContain('20 % of the trials of A and 20 % of B could not be judged');
  });
});

describe('ratios', () => {
  const costs = (of: readonly number[]) =>
    recordsOf(Object.fromEntries(of.map((_, index) => [`c${index}`, '+'])), ({ ordinal }) => ({
      costUsd: of[ordinal] ?? 0,
    }));

  it('are those of the values beside them', async () => {
    const cheap = Array.from({ length: 12 }, (_, index) => 0.01 * (1 + index));
    const dear = cheap.map((cost, index) => (index === 0 ? cost * 100 : cost));
    const { metrics } = await compared(costs(cheap), costs(dear));
    const cost = metrics.find(({ name }) => name === 'cost-usd');
    expect((cost?.typical?.b ?? 0) / (cost?.typical?.a ?? 1)).toBeCloseTo(cost?.typical?.ratio ?? 0, 10);
  });

  it('do not exist where a value is 0', async () => {
    const { metrics } = await compared(costs([1, 1, 1, 1, 1, 1]), costs([0, 1, 1, 1, 1, 1]));
    expect(metrics.find(({ name }) => name === 'cost-usd')?.typical).toBeNull();
  });
});
