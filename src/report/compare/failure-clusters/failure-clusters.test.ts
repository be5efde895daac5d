import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssayError, type ErrorCode, errorTable } from '../../../domain/errors.ts';
import { type EvaluatorResult, faultOf } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { finishedTrial } from '../../../testing/samples.ts';
import { causeOf, sharedCauseText } from './failure-cause.ts';
import { FailureClusters } from './failure-clusters.ts';

function assertion(type: string, state: EvaluatorResult['state'], reason: string): EvaluatorResult {
  return { type, kind: 'assertion', state, success: state === 'pass', reason };
}

/** A record that failed by one assertion, or as given. */
function failed(ordinal: number, type: string, reason: string, changes: Partial<TrialRecord> = {}): TrialRecord {
  const { record } = finishedTrial('r-1', ordinal, { outcome: 'fail' });
  return { ...record, reason, evaluatorResults: [assertion(type, 'fail', reason)], ...changes };
}

function broken(ordinal: number, code: ErrorCode, message: string): TrialRecord {
  const { record } = finishedTrial('r-1', ordinal, { outcome: 'error' });
  return { ...record, reason: message, evaluatorResults: [], fault: faultOf(new AssayError(code, message)) };
}

function clustersOf(...records: readonly TrialRecord[]) {
  const clusters = new FailureClusters();
  for (const record of records) clusters.add(record);
  return clusters.list();
}

const gate = (message: string) => ({ gates: [{ gate_type: 'file_exists', passed: false, message }] });

describe('FailureClusters', () => {
  it('puts together what differs only in numbers, quotes, paths and ids', () => {
    const clusters = clustersOf(
      failed(0, 'file_exists', '', gate('"out/a.csv" does not exist')),
      failed(1, 'contains', 'The answer does not contain "blue"'),
      failed(2, 'file_exists', '', { ...gate('"log/b.csv" does not exist'), scenario: 'other' }),
      failed(3, 'contains', 'The answer does not contain "red"'),
      failed(4, 'file_exists', '', gate("'c.csv' does not exist")),
    );
    expect(clusters).toMatchObject([
      {
        outcome: 'fail',
        kind: 'gate',
        what: 'file_exists',
        key: 'gate file_exists: <text> does not exist',
        title: 'gate file_exists: … does not exist',
        count: 3,
        share: 0.6,
        scenarios: ['sample', 'other'],
        example: { trialId: finishedTrial('r-1', 0).record.trialId, scenario: 'sample' },
      },
      { kind: 'assertion', what: 'contains', pattern: 'The answer does not contain <text>', count: 2, share: 0.4 },
    ]);
    expect(clusters[0]?.nextStep, 'a gate that fails twice need not have one cause').not.toContain('2 scenarios');
    expect(clusters[0]?.trialIds).toHaveLength(3);
  });

  it('keeps a thrown error apart from a result that is not as wanted, and names its class and message', () => {
    const clusters = clustersOf(
      ...[17, 23].map((number) =>
        failed(number, 'criteria', 'result.ok === true', {
          scenario: `number ${number}`,
          toolError: { name: 'TypeError', message: `unlucky ${number}` },
        }),
      ),
      failed(2, 'criteria', 'result.ok === true'),
      failed(3, 'criteria', 'result.ok === true', { toolError: { name: 'RangeError', message: 'unlucky 4' } }),
    );
    expect(clusters.map(({ kind, title, count }) => [kind, title, count])).toEqual([
      ['thrown', 'the tool failed with TypeError: unlucky …', 2],
      ['assertion', 'assertion criteria: result.ok === true', 1],
      ['thrown', 'the tool failed with RangeError: unlucky 4', 1],
    ]);
    expect(clusters[0]?.nextStep).toContain('The same error occurred in 2 scenarios.');
  });

  it('has titles with the values that all of its trials share, and never those of one of them alone', () => {
    const titles = (...reasons: readonly string[]) =>
      clustersOf(...reasons.map((reason, index) => failed(index, 'contains', reason))).map(({ title }) => title);
    expect(titles('wanted 3, got "a b"', 'wanted 3, got "c"')).toEqual(['assertion contains: wanted 3, got …']);
    expect(titles('at 2026-01-02 no /a/b', 'at 2026-01-02 no /a/c', 'at 2026-01-02 no /a/b')).toEqual([
      'assertion contains: at 2026-01-02 no …',
    ]);
    expect(titles('no /a/b 7 "x"')).toEqual(['assertion contains: no /a/b 7 "x"']);
    const long = (tail: string) => `${'"q" '.repeat(50)}${'7 '.repeat(50)}${tail}`;
    expect(titles(long('one'), long('other')), 'what differs after the part that is compared').toEqual([
      expect.not.stringMatching(/one|other/),
    ]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (reason) => {
        const expected = reason
          .replace(/[\uE000-\uF8FF]/g, '\uFFFD')
          .replace(/\s+/g, ' ')
          .trim();
        const [title] = titles(reason, reason);
        expect(title).toBe(expected === '' ? 'assertion contains' : `assertion contains: ${expected}`);
      }),
      { seed: 5, numRuns: 200 },
    );
  });

  it('suggests no cause where a file says only that trials failed', () => {
    const verdicts = Array.from({ length: 40 }, (_, index) => ({
      ...failed(index, 'imported', 'reward 0.0'),
      scenario: `task ${index}`,
    }));
    const [cluster] = clustersOf(...verdicts);
    expect(cluster).toMatchObject({ title: 'recorded verdict: reward 0.0', count: 40 });
    expect(cluster?.nextStep).not.toMatch(/same|one cause/);
    expect(sharedCauseText(verdicts[0] as TrialRecord)).toBe('');
  });

  it('keeps apart what failed from what could not be judged, and one gate from another', () => {
    const clusters = clustersOf(
      failed(0, 'file_exists', '', gate('it is gone')),
      failed(1, 'file_contains', 'it is gone'),
      broken(2, 'TARGET_CRASHED', 'it is gone'),
    );
    expect(clusters.map(({ outcome, kind, count }) => [outcome, kind, count])).toEqual([
      ['fail', 'gate', 1],
      ['fail', 'assertion', 1],
      ['error', 'crash', 1],
    ]);
  });

  it('passes over what passed or did not run', () => {
    const clusters = new FailureClusters();
    clusters.add(finishedTrial('r-1', 0).record);
    clusters.add(finishedTrial('r-1', 1, { outcome: 'skipped' }).record);
    expect([clusters.count, clusters.list()]).toEqual([0, []]);
  });

  it('counts every trial once, with no more clusters than can be read', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 40 }), (reasons) => {
        const clusters = clustersOf(...reasons.map((reason, index) => failed(index, 'contains', reason)));
        expect(clusters.reduce((sum, { count }) => sum + count, 0)).toBe(reasons.length);
        if (reasons.length > 0) expect(clusters.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
      }),
      { seed: 4, numRuns: 100 },
    );
    const letters = (index: number) => [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    const many = clustersOf(
      ...Array.from({ length: 3_000 }, (_, index) => failed(index, 'contains', `nothing like ${letters(index)}`)),
    );
    expect(many).toHaveLength(501);
    expect(many[0]).toMatchObject({ count: 2_500, title: 'assertion: others' });
    expect(many.reduce((sum, { count }) => sum + count, 0)).toBe(3_000);
  });
});

describe('causeOf', () => {
  it('names the criterion, not what it was compared with', () => {
    const criteria = (criterion: string, explanation: string): Pick<TrialRecord, 'criteria'> => ({
      criteria: {
        testName: 't',
        verdict: 'FAIL',
        passCriteriaEvaluation: {
          total: 1,
          passed: 0,
          failed: 1,
          details: [{ criterion, result: false, explanation }],
        },
        failCriteriaEvaluation: { total: 0, triggered: 0, avoided: 0, details: [] },
        summary: { verdict: 'FAIL', reason: explanation, confidence: 'HIGH', recommendation: '' },
      },
    });
    const [one, other] = [
      causeOf(failed(0, 'criteria', '', criteria('result.total === 3', 'result.total is 4'))),
      causeOf(failed(1, 'criteria', '', criteria('result.total === 17', 'result is null'))),
    ];
    expect([one?.kind, one?.what, one?.pattern]).toEqual([other?.kind, other?.what, other?.pattern]);
    expect(one).toMatchObject({ kind: 'criterion', what: 'result.total === #' });
  });

  it('names what the judge found missing', () => {
    const record = failed(0, 'llm-judge', 'two criteria are not met', {
      judge: {
        state: 'fail',
        mode: 'criteria',
        promptVersion: 'v1',
        reason: 'no',
        warnings: [],
        usage: { inputTokens: 1, outputTokens: 1 },
        costUsd: 0,
        criteria: [
          { id: 'c1', kind: 'success', text: 'It is polite', answer: 'met', reason: '', evidence: [] },
          { id: 'c2', kind: 'success', text: 'It books a table', answer: 'not-met', reason: '', evidence: [] },
        ],
      },
    });
    expect(causeOf(record)).toMatchObject({ kind: 'judge', what: 'llm-judge', pattern: 'It books a table' });
  });

  it('names the test of a server, and the figure of a workflow', () => {
    const test = {
      testName: 'adds',
      toolName: 'add',
      kind: 'tool' as const,
      state: 'fail' as const,
      passed: false,
      score: 0,
      latency: 1,
      totalLatency: 1,
      details: 'wanted 4, got 5',
      retryCount: 0,
    };
    expect(causeOf(failed(0, 'tool-health', '1 of 1 failed', { toolHealth: [test] }))).toMatchObject({
      kind: 'server-test',
      what: 'add',
      pattern: 'wanted #, got #',
    });
    const metric = { metric: 'Tool Order', passed: false, score: 0.5, details: 'b before a' };
    expect(causeOf(failed(0, 'workflow-tool-order', '', { workflow: [metric] }))).toMatchObject({
      kind: 'workflow',
      what: 'Tool Order',
    });
  });

  it('takes the first assertion that failed, as the outcome does', () => {
    const record = failed(0, 'contains', 'no greeting');
    const results = [assertion('duration', 'pass', ''), ...record.evaluatorResults, assertion('regex', 'fail', 'no')];
    expect(causeOf({ ...record, evaluatorResults: results })).toMatchObject({ what: 'contains' });
  });

  it('has a cause where a file only says that it failed', () => {
    const record = { ...failed(0, '', 'reward 0.0'), evaluatorResults: [] };
    expect(causeOf(record)).toMatchObject({ kind: 'verdict', what: '', pattern: 'reward #' });
    expect(clustersOf({ ...record, reason: '' })[0]?.title).toBe('recorded verdict');
  });

  it.each([
    ['MODEL_RATE_LIMITED', 'rate-limit'],
    ['TARGET_TIMEOUT', 'time-out'],
    ['AGENT_CRASHED', 'crash'],
    ['AGENT_FAILED', 'agent'],
    ['JUDGE_UNREADABLE', 'judge'],
    ['CRITERION_UNUSABLE', 'user'],
    ['MODEL_BUDGET_REACHED', 'budget'],
  ] as const)('takes %s for %s', (code, kind) => {
    expect(causeOf(broken(0, code, 'it broke'))).toMatchObject({ kind, what: code, hint: errorTable[code].hint });
  });

  it('says for everything what to do next', () => {
    for (const code of Object.keys(errorTable) as ErrorCode[]) {
      expect(clustersOf(broken(0, code, 'x'))[0]?.nextStep).toBe(errorTable[code].hint);
    }
    for (const type of ['file_exists', 'command_succeeds', 'script', 'latency-budget', 'tool-called', 'contains']) {
      expect(clustersOf(failed(0, type, 'x'))[0]?.nextStep).toMatch(/\.$/);
    }
  });
});
