import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import { recordsOf, sideSource } from '../../testing/fakes/compare/compared-sides.ts';
import { type BaselineCheck, checkRegressions, type RegressionRules } from './regressions.ts';
import { collectSide } from './side-collector.ts';

async function check(
  a: readonly TrialRecord[],
  b: readonly TrialRecord[],
  rules: RegressionRules = {},
): Promise<BaselineCheck> {
  return checkRegressions(await collectSide(sideSource('main', a)), await collectSide(sideSource('now', b)), rules);
}

function gated(cases: Readonly<Record<string, string>>, costUsd = 0.01): TrialRecord[] {
  return recordsOf(cases, ({ outcome }) => ({
    costUsd,
    gates: [{ gate_type: 'file_exists', passed: outcome === 'pass', message: '' }],
  }));
}

function messages({ regressions }: BaselineCheck): string[] {
  return regressions.map(({ message }) => message);
}

describe('a run held against a baseline', () => {
  it('keeps it when nothing got worse', async () => {
    expect(await check(gated({ one: '++' }), gated({ one: '++' }))).toMatchObject({
      outcome: 'pass',
      reason: 'No regression against the baseline main',
      regressions: [],
      missing: [],
    });
  });

  it('names its sides in every text', async () => {
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`c${index}`, '++']));
    const same = await check(recordsOf(many), recordsOf(many));
    const worse = Object.fromEntries(Object.keys(many).map((name) => [name, '--']));
    const broken = await check(recordsOf(many), recordsOf(worse));
    const apart = await check(recordsOf(many), recordsOf({ other: '+' }));
    expect(broken.comparison.summary).toContain('On these 10 tasks, this run is worse');
    expect(apart.reason).toBe(
      'Nothing can be compared: the baseline and this run have no case in common. Compare runs of the same scenarios.',
    );
    expect(apart.comparison.differences.map(({ message }) => message).join()).toContain('1 case only in this run');
    const texts = [same, broken, apart].map(({ reason, comparison }) => [
      reason,
      comparison.summary,
      comparison.differences,
    ]);
    expect(JSON.stringify(texts)).not.toMatch(/\b[AB]\b/);
  });

  it('breaks it with a gate that passed in every repeat and fails too often for chance', async () => {
    const found = await check(gated({ one: '+++++', two: '++' }), gated({ one: '-----', two: '++' }));
    expect(found).toMatchObject({ outcome: 'fail', possible: [] });
    expect(found.regressions).toContainEqual({
      rule: 'check',
      message: 'file_exists broke: passed 5 of 5 before, 0 of 5 now',
      scenario: 'sample',
      caseId: 'one',
      trialId: 't-one-1',
    });
  });

  it('reports what broke in too few trials to rule out chance, and does not break it', async () => {
    const cases = (broken: string) =>
      gated(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`c${index}`, index === 0 ? broken : '+'])));
    const found = await check(cases('+'), cases('-'));
    expect(found).toMatchObject({ outcome: 'pass', regressions: [], possible: [{ rule: 'check', caseId: 'c0' }] });
    expect(found.reason).toContain('1 possible one is within chance with so few trials: repeat to find out');
    const strict = await check(cases('+'), cases('-'), { anyBreak: true });
    expect(strict).toMatchObject({ outcome: 'fail', regressions: [{ rule: 'check', caseId: 'c0' }], possible: [] });
  });

  it('does not break it with a gate that was flaky before, or fails now and then', async () => {
    expect((await check(gated({ one: '+-' }), gated({ one: '--' }))).outcome).toBe('pass');
    expect((await check(gated({ one: '+++' }), gated({ one: '++-' }))).outcome).toBe('pass');
  });

  it('breaks it with a drop that chance does not explain', async () => {
    const cases = (signs: string) => Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`c${index}`, signs]));
    const found = await check(recordsOf(cases('+++-')), recordsOf(cases('+---')));
    expect(messages(found)).toEqual([expect.stringMatching(/^drop: pass rate 75 % → 25 %/)]);
  });

  it('breaks it with a cost above the limit, and only where there is one', async () => {
    const ten = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`c${index}`, '+']));
    const sides = [gated(ten, 0.1), gated(ten, 0.13)] as const;
    expect((await check(...sides)).outcome).toBe('pass');
    expect((await check(...sides, { maxCostRise: 0.5 })).outcome).toBe('pass');
    expect(messages(await check(...sides, { maxCostRise: 0.2 }))).toEqual([
      'cost rose by 30 %, more than 20 %: $0.1 → $0.13 for each trial',
    ]);
    expect(messages(await check(gated(ten, 0), gated(ten, 0.1), { maxCostRise: 0.2 }))).toEqual([
      'cost rose from nothing, more than 20 %: $0 → $0.1 for each trial',
    ]);
    const once = await check(gated({ one: '+' }, 0.1), gated({ one: '+' }, 0.13), { maxCostRise: 0.2 });
    expect(once).toMatchObject({ outcome: 'pass', possible: [{ rule: 'cost' }] });
  });

  it('warns of a score that fell by more than 15 % and a cost that rose by more than 50 %, beside the answer', async () => {
    const found = await check(gated({ one: '+++++', two: '++' }, 0.1), gated({ one: '+++--', two: '++' }, 0.151));
    expect(found).toMatchObject({ outcome: 'pass', regressions: [] });
    expect(found.warnings).toMatchObject([
      { rule: 'score-drop', figure: 'pass-rate', before: 1, now: 0.8, change: expect.closeTo(-0.2) },
      { rule: 'cost-rise', figure: 'cost-usd', change: expect.closeTo(0.51) },
    ]);
    expect(found.warnings[0]?.message).toBe(
      'pass rate fell by 20 points: 100 % → 80 % (on these 2 tasks: not enough data; for tasks like these: not enough data)',
    );
  });

  it('does not warn of less than that, of exactly that, or of a gain', async () => {
    const twenty = (failed: number): TrialRecord[] =>
      gated({ one: `${'+'.repeat(20 - failed)}${'-'.repeat(failed)}` }, failed === 0 ? 0.1 : 0.15);
    expect((await check(twenty(0), twenty(3))).warnings).toEqual([]);
    expect((await check(twenty(0), twenty(4))).warnings).toMatchObject([{ rule: 'score-drop' }]);
    expect((await check(twenty(10), twenty(0))).warnings).toEqual([]);
  });

  it('warns of a cost where there was none', async () => {
    const found = await check(gated({ one: '+' }, 0), gated({ one: '+' }, 0.1));
    expect(found.warnings).toMatchObject([{ rule: 'cost-rise', change: null }]);
    expect(found.warnings[0]?.message).toContain('cost per trial rose from nothing: $0 → $0.1');
  });

  it('says which cases are missing', async () => {
    const found = await check(gated({ one: '+', two: '+', three: '+' }), gated({ one: '+', two: '!' }));
    expect(found).toMatchObject({
      outcome: 'cannot-tell',
      reason: 'Nothing got worse in the trials that were judged, but 1 trial of the run could not be judged',
    });
    expect(found.missing).toEqual(['sample › three: not in this run', 'sample › two: could not be judged in this run']);
  });

  it('cannot tell when nothing can be compared', async () => {
    expect((await check(gated({ one: '+' }), gated({ two: '+' }))).outcome).toBe('cannot-tell');
    const other = sideSource('now', gated({ one: '+' }), {
      run: { scenarios: [{ name: 'sample', contentHash: 'new' }] },
    });
    const before = await collectSide(sideSource('main', gated({ one: '+' })));
    const after = await collectSide(other);
    expect(checkRegressions(before, after, {})).toMatchObject({
      outcome: 'cannot-tell',
      reason: expect.stringContaining('1 scenario changed'),
      comparison: { answer: 'not-comparable' },
    });
    expect(checkRegressions(before, after, { force: true }).outcome).toBe('pass');
  });
});
