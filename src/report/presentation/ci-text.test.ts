import { describe, expect, it } from 'vitest';
import type { RunHeader, RunSummary } from '../../domain/run.ts';
import { type CiCase, ciVerdict } from '../compare/ci-verdict.ts';
import type { BaselineCheck } from '../compare/regressions.ts';
import { ciLines, excuseText } from './ci-text.ts';

const flaky: CiCase = {
  ...{ file: 'a.yaml', scenario: 'Orders', caseId: 'b', variant: {}, role: 'regression' },
  ...{ passed: 4, failed: 6, unjudged: 0, kind: 'flaky', before: { passed: 10, failed: 0 }, chance: 0.0054 },
  ...{ excuse: 'flaky', quarantine: null },
};

describe('a flaky case', () => {
  it('says how rare its drop is for one case, where that is rare', () => {
    expect(excuseText(flaky)).toBe(
      'flaky: passed 10 of 10 before, 4 of 10 now; for one case alone such a drop is rare (0.5 %): run it again with --flaky',
    );
    expect(excuseText({ ...flaky, passed: 8, failed: 2, chance: 0.24 })).toBe(
      'flaky: passed 10 of 10 before, 8 of 10 now',
    );
  });
});

describe('a cost that rose by more than its limit, as chance explains', () => {
  it('does not fail the build, and is not called met', () => {
    const run = { scenarios: [{ file: 'a.yaml', name: 'Orders', ci: { maxCostRise: 0.2 } }] } as unknown as RunHeader;
    const summary = { run, totals: { error: 0, skipped: 0 } } as unknown as RunSummary;
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
