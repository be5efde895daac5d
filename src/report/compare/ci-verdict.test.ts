import { describe, expect, it } from 'vitest';
import type { ScenarioCi } from '../../domain/ci.ts';
import type { CaseCounts, RunHeader, RunSummary } from '../../domain/run.ts';
import { ciVerdict, hasCiRules } from './ci-verdict.ts';
import type { BaselineCheck } from './regressions.ts';

type Counts = Partial<CaseCounts> & Pick<CaseCounts, 'caseId'>;

const casesOf = (...counts: readonly Counts[]): CaseCounts[] =>
  counts.map((one) => ({ ...{ file: 'a.yaml', scenario: 'S', variant: {}, pass: 0, fail: 0, unjudged: 0 }, ...one }));

interface Question {
  readonly ci?: ScenarioCi;
  /** Rules of the second scenario. */
  readonly otherCi?: ScenarioCi;
  readonly counts: readonly CaseCounts[];
  readonly minPassRate?: number;
  readonly check?: Partial<BaselineCheck>;
  readonly skipped?: number;
  readonly notRun?: number;
}

function verdictOf({ ci, otherCi, counts, minPassRate, check, skipped = 0, notRun = 0 }: Question) {
  const scenarios = [
    { file: 'a.yaml', name: 'S', ...(ci && { ci }) },
    { file: 'b.yaml', name: 'T', ...(otherCi && { ci: otherCi }) },
  ];
  const run = { startedAt: Date.parse('2027-01-15T12:00:00Z'), scenarios } as unknown as RunHeader;
  const sum = (part: 'unjudged') => counts.reduce((total, one) => total + one[part], 0);
  const summary = { run, totals: { error: sum('unjudged'), skipped, notRun } } as unknown as RunSummary;
  const empty = { outcome: 'pass', reason: '', failing: [], failingUncounted: [], costLimits: [] };
  return ciVerdict({
    ...{ summary, counts, evidence: counts, minPassRate },
    ...(check && { check: { ...empty, ...check } as unknown as BaselineCheck }),
  });
}

const excuses = (question: Question) =>
  Object.fromEntries(verdictOf(question).cases.map(({ caseId, excuse }) => [caseId, excuse]));

describe('the verdict of a build', () => {
  it('without rules fails with any failure, and says how many', () => {
    expect(verdictOf({ counts: casesOf({ caseId: 'a', pass: 3 }) })).toMatchObject({
      ...{ outcome: 'pass', reason: 'Nothing that counts failed', cases: [] },
      roles: { regression: { cases: 1, passed: 1 }, capability: { cases: 0 }, holdout: { cases: 0 } },
    });
    const failed = verdictOf({ counts: casesOf({ caseId: 'a', fail: 1 }, { caseId: 'b', fail: 1, pass: 1 }) });
    expect(failed).toMatchObject({ outcome: 'fail', reason: '2 cases failed', roles: { regression: { passed: 0 } } });
    expect(failed.cases).toMatchObject([
      { excuse: null, kind: null, before: null, chance: null, quarantine: null },
      {},
    ]);
  });

  it('is an error where a trial could not be judged and nothing failed', () => {
    const counts = casesOf({ caseId: 'a', unjudged: 2, pass: 1 });
    expect(verdictOf({ counts })).toMatchObject({ outcome: 'error', reason: '2 trials could not be judged' });
    expect(verdictOf({ counts: [...counts, ...casesOf({ caseId: 'b', fail: 1 })] })).toMatchObject({
      ...{ outcome: 'fail', reason: '1 case failed' },
    });
  });

  it('is an error where trials were skipped or did not run, also where none did', () => {
    const counts = casesOf({ caseId: 'a', pass: 1 });
    expect(verdictOf({ counts, skipped: 2, notRun: 3 })).toMatchObject({
      ...{ outcome: 'error', reason: '5 trials could not be judged' },
    });
    expect(verdictOf({ counts: [], notRun: 1 }).reason).toBe('1 trial could not be judged');
  });

  it('counts a case as passed in its role only where all its trials ran and passed', () => {
    const counts = casesOf({ caseId: 'a', pass: 1, fail: 1, unjudged: 1 }, { caseId: 'b' }, { caseId: 'c', pass: 2 });
    expect(verdictOf({ counts }).roles.regression).toEqual({ cases: 3, passed: 1 });
  });

  it('is that of a limit for the case it is about, of its scenario, under its variant, and for no other', () => {
    const ci = { cases: { a: { minPassRate: 0.5 } } };
    const met = casesOf({ caseId: 'a', pass: 1, fail: 1 });
    const missed = casesOf({ caseId: 'a', pass: 1, fail: 3 });
    expect(excuses({ ci, counts: met })).toEqual({ a: 'limit' });
    expect(excuses({ ci, counts: missed })).toEqual({ a: null });
    // A missed limit of another case, scenario or variant leaves this one excused.
    const others = { cases: { a: { minPassRate: 0.5 }, b: { minPassRate: 0.5 } } };
    expect(excuses({ ci: others, counts: [...met, ...casesOf({ caseId: 'b', fail: 2 })] })).toEqual({
      a: 'limit',
      b: null,
    });
    const elsewhere = casesOf({ file: 'b.yaml', scenario: 'T', caseId: 'a', fail: 2 });
    expect(verdictOf({ ci, otherCi: ci, counts: [...met, ...elsewhere] }).cases).toMatchObject([
      { scenario: 'S', excuse: 'limit' },
      { scenario: 'T', excuse: null },
    ]);
    const variants = casesOf(
      { caseId: 'a', variant: { model: 'm' }, pass: 1, fail: 1 },
      { caseId: 'a', variant: { model: 'n' }, fail: 2 },
    );
    expect(verdictOf({ ci, counts: variants }).cases).toMatchObject([{ excuse: 'limit' }, { excuse: null }]);
  });

  it('applies a limit of a scenario to all its cases, and to none of another', () => {
    const ci = { minPassRate: 0.5 };
    const counts = casesOf({ caseId: 'a', pass: 3, fail: 1 }, { caseId: 'b', fail: 1 });
    const verdict = verdictOf({ ci, counts });
    expect(verdict.limits).toMatchObject([{ rule: 'minPassRate', caseId: null, state: 'missed', observed: 0.375 }]);
    expect(verdict).toMatchObject({ outcome: 'fail', reason: '2 cases failed; 1 limit missed' });
    const other = casesOf({ file: 'b.yaml', scenario: 'T', caseId: 'a', fail: 1 });
    expect(verdictOf({ ci, counts: [...casesOf({ caseId: 'a', pass: 1, fail: 1 }), ...other] }).cases).toMatchObject([
      { scenario: 'S', excuse: 'limit' },
      { scenario: 'T', excuse: null },
    ]);
  });

  it('does not take a rise in cost for a missed pass rate', () => {
    const ci = { minPassRate: 0.5, maxCostRise: 0.1 };
    const costLimits = [{ scenario: 'S', limit: 0.1, state: 'exceeded', message: 'cost rose' }];
    const counts = casesOf({ caseId: 'a', pass: 1, fail: 1 });
    const verdict = verdictOf({ ci, counts, check: { costLimits } as never });
    expect(verdict).toMatchObject({ outcome: 'fail', cases: [{ excuse: 'limit' }] });
    expect(verdict.limits.at(-1)).toEqual({
      ...{ rule: 'maxCostRise', scenario: 'S', caseId: null, variant: {}, required: 0.1, observed: null },
      ...{ state: 'missed', counts: true, message: 'cost rose' },
    });
    expect(verdict.reason).toBe('1 limit missed (failures that do not count: 1 case within its limits)');
    expect(verdictOf({ ci, counts }).limits.at(-1)).toMatchObject({ rule: 'maxCostRise', state: 'not-checked' });
    const ofCase = { cases: { a: { maxCostRise: 0.2 } } };
    expect(verdictOf({ ci: ofCase, counts: casesOf({ caseId: 'a', pass: 1 }) })).toMatchObject({
      ...{
        outcome: 'pass',
        limits: [{ rule: 'maxCostRise', caseId: 'a', required: 0.2, observed: null, counts: true }],
      },
    });
  });

  it('leaves out what is quarantined until its day has ended', () => {
    const quarantine = (until: string) => ({ cases: { a: { quarantine: { until, owner: 'me' } } } });
    const counts = casesOf({ caseId: 'a', fail: 1 }, { caseId: 'b', pass: 1 });
    const during = verdictOf({ ci: quarantine('2027-01-15'), counts });
    expect(during).toMatchObject({
      outcome: 'pass',
      cases: [{ excuse: 'quarantined', quarantine: { isExpired: false } }],
    });
    expect(during.reason).toBe('Nothing that counts failed (failures that do not count: 1 quarantined case)');
    const after = verdictOf({ ci: quarantine('2027-01-14'), counts });
    expect(after).toMatchObject({ outcome: 'fail', reason: '1 case failed; 1 quarantine expired' });
    const passed = verdictOf({ ci: quarantine('2027-01-15'), counts: casesOf({ caseId: 'a', pass: 1 }) });
    expect(passed).toMatchObject({
      outcome: 'error',
      reason: 'No case counts: all are quarantined',
      cases: [{ failed: 0 }],
    });
    const unjudged = casesOf({ caseId: 'a', unjudged: 1 }, { caseId: 'b', pass: 1 });
    expect(verdictOf({ ci: quarantine('2027-01-15'), counts: unjudged })).toMatchObject({ outcome: 'pass' });
  });

  it('counts failures of a capability for nothing, and those that are held out like others', () => {
    const ci = { cases: { a: { role: 'capability' as const }, b: { role: 'holdout' as const } } };
    const counts = casesOf({ caseId: 'a', fail: 1 }, { caseId: 'b', pass: 1 });
    expect(verdictOf({ ci, counts })).toMatchObject({
      ...{ outcome: 'pass', cases: [{ caseId: 'a', role: 'capability', excuse: 'capability' }] },
      roles: { capability: { cases: 1, passed: 0 }, holdout: { cases: 1, passed: 1 } },
    });
    expect(verdictOf({ ci, counts: casesOf({ caseId: 'b', fail: 1 }) })).toMatchObject({ outcome: 'fail' });
    const limited = { role: 'capability' as const, minPassRate: 1 };
    expect(verdictOf({ ci: limited, counts: casesOf({ caseId: 'a', fail: 1 }) })).toMatchObject({
      ...{ outcome: 'pass', limits: [{ state: 'missed', counts: false }] },
    });
  });

  it('is excused by a rate of the whole run, which capabilities and quarantined cases do not lower', () => {
    const ci = {
      cases: { c: { role: 'capability' as const }, q: { quarantine: { until: '2027-12-31', owner: 'me' } } },
    };
    const counts = casesOf(
      { caseId: 'a', pass: 1 },
      { caseId: 'b', fail: 1 },
      { caseId: 'c', fail: 1 },
      { caseId: 'q', fail: 1 },
    );
    expect(excuses({ ci, counts, minPassRate: 0.5 })).toMatchObject({ b: 'min-pass-rate' });
    expect(excuses({ ci, counts, minPassRate: 0.51 })).toMatchObject({ b: null });
    expect(excuses({ counts: casesOf({ caseId: 'a', unjudged: 1 }), minPassRate: 0 })).toEqual({ a: null });
  });

  it('takes from a baseline which failures are flaky or unclear, and its own verdict', () => {
    const failing = (kind: string) => [
      { scenario: 'S', caseId: 'a', variant: {}, kind, before: { passed: 7, failed: 3 }, chance: 0.4 },
      { scenario: 'S', caseId: 'z', variant: {}, kind: 'flaky', before: { passed: 1, failed: 0 }, chance: 1 },
    ];
    const counts = casesOf({ caseId: 'a', pass: 1, fail: 1 });
    const flaky = verdictOf({ counts, check: { failing: failing('flaky') } as never });
    expect(flaky).toMatchObject({
      outcome: 'pass',
      cases: [{ kind: 'flaky', before: { passed: 7 }, chance: 0.4, excuse: 'flaky' }],
    });
    expect(flaky.reason).toBe('Nothing that counts failed (failures that do not count: 1 flaky case)');
    const unclear = verdictOf({ counts, check: { failingUncounted: failing('unclear') } as never });
    expect(unclear).toMatchObject({ outcome: 'pass', cases: [{ excuse: 'chance' }] });
    expect(unclear.reason).toContain('1 case that chance may explain');
    expect(excuses({ counts, check: { failing: failing('regressed') } as never })).toEqual({ a: null });
    for (const elsewhere of [{ variant: { model: 'm' } }, { scenario: 'T' }, { caseId: 'b' }]) {
      const other = [{ ...failing('flaky')[0], ...elsewhere }];
      expect(excuses({ counts, check: { failing: other } as never })).toEqual({ a: null });
    }
    const unjudged = casesOf({ caseId: 'a', unjudged: 1 });
    expect(verdictOf({ counts: unjudged, check: { failing: failing('flaky') } as never }).cases).toMatchObject([
      { kind: null, before: null, chance: null },
    ]);
    const passed = casesOf({ caseId: 'a', pass: 1 });
    expect(verdictOf({ counts: passed, check: { outcome: 'fail', reason: 'a drop' } })).toMatchObject({
      outcome: 'fail',
      reason: 'a drop',
    });
    expect(verdictOf({ counts: passed, check: { outcome: 'cannot-tell', reason: 'too few' } as never })).toMatchObject({
      ...{ outcome: 'error', reason: 'too few' },
    });
  });

  it('is unknown where an unjudged trial decides a limit', () => {
    const ci = { cases: { a: { minPassRate: 0.5 } } };
    const verdict = verdictOf({ ci, counts: casesOf({ caseId: 'a', pass: 1, fail: 1, unjudged: 1 }) });
    expect(verdict).toMatchObject({ outcome: 'error', limits: [{ state: 'unknown' }] });
    expect(verdict.reason).toContain('1 trial could not be judged; ');
  });
});

it('says whether files have rules', () => {
  const run = (ci: ScenarioCi | undefined) => ({ scenarios: [{}, { ci }] }) as unknown as RunHeader;
  expect([hasCiRules(run({})), hasCiRules(run(undefined))]).toEqual([true, false]);
});
