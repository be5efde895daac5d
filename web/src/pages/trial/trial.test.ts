import { describe, expect, it } from 'vitest';
import type { EvaluatorResult } from '../../../../src/domain/outcome.ts';
import { bytesText } from './files-tab.tsx';
import {
  criterionState,
  isGateResult,
  responseEvidence,
  shownCriteria,
  turnSummary,
} from './findings/result-groups.ts';
import { firstOpenness, isOpen, withRow } from './trace/timeline.ts';
import { changedSearch } from './use-trial-address.ts';

const assertion = (state: EvaluatorResult['state'], type = 'regex'): EvaluatorResult => ({
  type,
  kind: 'assertion',
  state,
  success: state === 'pass',
  reason: 'because',
});

describe('results of a trial', () => {
  it('show gates in their own table', () => {
    const gates = [{ gate_type: 'file-exists', passed: true, message: 'because' }];
    expect(isGateResult(assertion('pass', 'file-exists'), gates)).toBe(true);
    expect(isGateResult(assertion('pass', 'regex'), gates)).toBe(false);
  });

  it('show the criteria that decided against the trial first, with what each had to be', () => {
    const summary = { verdict: 'FAIL', reason: 'r', confidence: 'HIGH', recommendation: '' } as const;
    const criteria = shownCriteria({
      testName: 't',
      verdict: 'FAIL',
      passCriteriaEvaluation: {
        total: 1,
        passed: 1,
        failed: 0,
        details: [{ criterion: 'result > 1', result: true, explanation: 'result is 2' }],
      },
      failCriteriaEvaluation: {
        total: 1,
        triggered: 1,
        avoided: 0,
        details: [{ criterion: 'result < 3', triggered: true, explanation: 'result is 2' }],
      },
      summary,
    });
    expect(criteria.map(({ criterion, mustBe, isGood }) => [criterion, mustBe, isGood])).toEqual([
      ['result < 3', false, false],
      ['result > 1', true, true],
    ]);
  });

  it('read a judged criterion by its kind', () => {
    const judged = { id: 'c', text: 't', reason: '', evidence: [] };
    expect(criterionState({ ...judged, kind: 'success', answer: 'met' })).toBe('pass');
    expect(criterionState({ ...judged, kind: 'failure', answer: 'met' })).toBe('fail');
    expect(criterionState({ ...judged, kind: 'failure', answer: 'not-met' })).toBe('pass');
    expect(criterionState({ ...judged, kind: 'weighted', answer: 'met' })).toBe('measured');
    expect(criterionState({ ...judged, kind: 'success', answer: 'cannot-tell' })).toBe('error');
  });

  it('find the evidence of a score, and survive whatever else a judge says', () => {
    const quote = { event: 'e2', quote: 'Paris', isVerified: true };
    expect(responseEvidence({ score: 1, evidence: [quote, { event: 'e3' }, null, 'x'] })).toEqual([quote]);
    expect(responseEvidence({ evidence: [{ event: 'e2', quote: 'Paris' }] })).toEqual([
      { ...quote, isVerified: false },
    ]);
    expect([responseEvidence('text'), responseEvidence(null), responseEvidence({ evidence: {} })]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it('sum up a turn with bad news first', () => {
    expect(turnSummary([assertion('pass'), assertion('fail'), assertion('pass'), assertion('pending')])).toBe(
      '1 failed, 2 passed, 1 not yet',
    );
  });
});

describe('openness', () => {
  it('shows messages, opens the rest on demand, and forgets exceptions with a new rule', () => {
    expect([isOpen(firstOpenness, 1, 'speech'), isOpen(firstOpenness, 2, 'call')]).toEqual([true, false]);
    const changed = withRow(withRow(firstOpenness, 1, false), 2, true);
    expect([isOpen(changed, 1, 'speech'), isOpen(changed, 2, 'call')]).toEqual([false, true]);
    expect(isOpen({ rule: 'all', exceptions: new Map() }, 5, 'mark')).toBe(true);
    expect(isOpen({ rule: 'none', exceptions: new Map() }, 5, 'speech')).toBe(false);
  });
});

describe('the address of a trial', () => {
  it('loses what is taken back', () => {
    expect(changedSearch({ event: 'e3', quote: 'x', tab: 'trace' }, { event: 'e4', quote: undefined })).toEqual({
      event: 'e4',
      tab: 'trace',
    });
  });
});

describe('bytesText', () => {
  it('reads like a size', () => {
    expect([0, 1, 999, 1_000, 1_234_567, 999_600, 5e9].map(bytesText)).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1 kB',
      '1.2 MB',
      '1 MB',
      '5 GB',
    ]);
  });
});
