import { describe, expect, it } from 'vitest';
import type { RunHeader, RunSummary } from '../../domain/run.ts';
import { type CiCase, ciVerdict } from '../compare/ci-verdict.ts';
import type { BaselineCheck } from '../compare/regressions.ts';
import { ciLines, excuseText } from './ci-text.ts';

const flaky: CiCase = {
  ...{ file: 'a.yaml', scenario: 'Orders', caseId: 'b', variant: {}, role: 'regression' },
  ...{ passed: 4, failed: 6, unjudged: 0, kind: 'flaky', before: { passed: 7, failed: 3 }, chance: 0.8 },
  ...{ excuse: 'flaky', quarantine: null },
};

describe('a flaky case', () => {
  it('is one that was flaky before', () => {
    expect(excuseText(flaky)).toBe('flaky: passed 7 of 10 before, 4 of 10 now');
  });

  it('is not one that always passed before, even where chance may explain it', () => {
    const unclear: CiCase = { ...flaky, kind: 'unclear', excuse: 'chance', before: { passed: 10, failed: 0 } };
    expect(excuseText(unclear)).toMatch(
      /^passes less often: passed 10 of 10 before, 4 of 10 now; chance may explain it/,
    );
  });
});

describe('a cost that rose by more than its limit, as chance explains', () => {
  it('does not fail the build, and is not called met', () => {
    const run = { scenarios: [{ file: 'a.yaml', name: 'Orders', ci: { maxCostRise: 0.2 } }] } as unknown as RunHeader;
    const summary = { run, totals: { error: 0, skipped: 0, notRun: 0 } } as unknown as RunSummary;
    const message = 'cost rose by 30 %, more than 20 %: $0.10 → $0.13 for each trial';
    const check = {
      ...{ outcome: 'pass', reason: '', failing: [], failingUncounted: [] },
      costLimits: [{ scenario: 'Orders', limit: 0.2, state: 'unclear', message }],
    } as unknown as BaselineCheck;
    const verdict = ciVerdict({ summary, counts: [], evidence: [], check });
    expect(verdict).toMatchObject({ outcome: 'pass', limits: [{ state: 'unclear' }] });
    expect(ciLines(verdict)).toEqual([{ mark: 'note', text: `Orders: ${message}` }]);
  });
});
