import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { type EvaluatorResult, faultOf } from '../../domain/outcome.ts';
import { failedCriteria, hostileTexts, rendered, type TrialChanges } from '../../testing/support/rendered.ts';
import type { Reporter } from './reporter.ts';
import { sarifOf, sarifReporter } from './sarif.ts';

interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: { readonly startLine: number };
    };
  }[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
}

interface SarifRun {
  readonly results: readonly Result[];
  readonly rules: readonly { readonly id: string }[];
  readonly invocations: readonly object[];
  readonly tool: { readonly driver: object };
}

async function sarifRun(trials: readonly TrialChanges[], runId = 'r-1'): Promise<SarifRun> {
  const log = JSON.parse(await rendered(sarifReporter, trials, { runId }));
  expect(log).toMatchObject({ version: '2.1.0', $schema: expect.stringContaining('sarif-schema-2.1.0') });
  expect(log.runs).toHaveLength(1);
  const [run] = log.runs;
  return { ...run, rules: run.tool.driver.rules };
}

function failing(type: string, reason: string): EvaluatorResult {
  return { type, kind: 'assertion', state: 'fail', success: false, reason };
}

const failed: TrialChanges = {
  outcome: 'fail',
  reason: '2 of 2 pass criteria failed',
  caseId: 'one',
  file: 'scenarios/a b#1.yaml',
  evaluatorResults: [
    failing('criteria', '2 of 2 pass criteria failed'),
    failing('contains', 'it does not contain x'),
    failing('contains', 'it does not contain y'),
    { type: 'duration', kind: 'metric', state: 'measured', success: true, value: 1, reason: '' },
  ],
  criteria: failedCriteria('result.a === 1', 'result.b === 2'),
};

describe('the SARIF report', () => {
  it('has a finding for each check that failed, in the file of its scenario', async () => {
    const { results, rules, invocations, tool } = await sarifRun([{}, failed]);
    expect(results.map(({ message }) => message.text)).toEqual([
      'sample › one (codex): result.a === 1: not result.a === 1',
      'sample › one (codex): result.b === 2: not result.b === 2',
      'sample › one (codex): it does not contain x',
      'sample › one (codex): it does not contain y',
    ]);
    expect(rules.map(({ id }) => id)).toEqual(['criteria', 'contains']);
    for (const { ruleId, ruleIndex, level, locations } of results) {
      expect(rules[ruleIndex]?.id).toBe(ruleId);
      expect(level).toBe('error');
      expect(locations[0]?.physicalLocation).toEqual({
        artifactLocation: { uri: 'scenarios/a%20b%231.yaml' },
        region: { startLine: 1 },
      });
    }
    expect(tool.driver).toMatchObject({ name: 'assay', version: '0.0.0' });
    expect(invocations).toEqual([
      { executionSuccessful: true, startTimeUtc: '2023-11-14T22:13:20.000Z', toolExecutionNotifications: [] },
    ]);
  });

  it('knows a finding again: in another run, in a repeat and with another reason', async () => {
    const prints = (results: readonly Result[]): unknown[] =>
      results.map(({ partialFingerprints }) => partialFingerprints);
    const before = await sarifRun([failed], 'r-1');
    const after = await sarifRun(
      [{ ...failed, evaluatorResults: [failing('criteria', 'else'), failing('contains', 'else')] }],
      'r-2',
    );
    expect(prints(after.results)).toEqual(prints(before.results).slice(0, 3));
    const repeated = await sarifRun([failed, { ...failed, repeat: 2 }]);
    expect(repeated.results).toHaveLength(4);
    const other = await sarifRun([{ ...failed, variant: { agent: 'another' } }]);
    expect(prints(other.results)).not.toContainEqual(prints(before.results)[0]);
    expect(new Set(prints(before.results).map((print) => JSON.stringify(print))).size).toBe(4);
  });

  it('reports what could not be judged as a notification, never as a finding', async () => {
    const fault = faultOf(new AssayError('TARGET_TIMEOUT', 'No answer'));
    const run = await sarifRun([{ outcome: 'error', reason: 'No answer', fault }, {}]);
    expect(run.results).toEqual([]);
    expect(run.invocations[0]).toMatchObject({
      executionSuccessful: false,
      toolExecutionNotifications: [
        {
          descriptor: { id: 'TARGET_TIMEOUT' },
          level: 'error',
          message: { text: 'sample › case-0 (codex) could not be judged: No answer' },
        },
      ],
    });
  });

  it('has a finding for each failed test of a suite, and for what failed elsewhere', async () => {
    const test = (testName: string, state: 'pass' | 'fail') => ({
      ...{ testName, toolName: 'add', kind: 'tool' as const, state, passed: state === 'pass', score: 1, latency: 1 },
      ...{ totalLatency: 1, retryCount: 0, details: `${testName} said` },
    });
    const suite = {
      evaluatorResults: [failing('tool-health', 'x')],
      toolHealth: [test('adds', 'pass'), test('sums', 'fail')],
    };
    const { results } = await sarifRun([
      { outcome: 'fail', ...suite },
      { outcome: 'fail', reason: 'reward 0', evaluatorResults: [] },
    ]);
    expect(results.map(({ ruleId, message }) => [ruleId, message.text.replace(/^.*?\): /, '')])).toEqual([
      ['tool-health', 'sums (add): sums said'],
      ['trial', 'reward 0'],
    ]);
  });

  it('carries whatever is said, and lets none of it become a link', async () => {
    const records = hostileTexts.map((text) => ({
      outcome: 'fail' as const,
      ...{ scenario: text, caseId: text, file: text, reason: text, evaluatorResults: [failing(text, text)] },
    }));
    const { results } = await sarifRun(records);
    expect(results).toHaveLength(hostileTexts.length);
    for (const { message, locations } of results) {
      expect(message.text).not.toMatch(/[\u0000-\u001F]|\p{Surrogate}|\]\(/u);
      const uri = locations[0]?.physicalLocation.artifactLocation.uri ?? '';
      expect(new URL(uri, 'https://base.test/').origin).toBe('https://base.test');
    }
  });

  it('stays within what code scanning takes, and says that there is more', async () => {
    const few: Reporter = { ...sarifReporter, render: (run) => sarifOf(run, 3) };
    const criteria = failedCriteria('a', 'b', 'c', 'd', 'e');
    const text = await rendered(few, [{ ...failed, evaluatorResults: [failing('criteria', 'x')], criteria }]);
    const [run] = JSON.parse(text).runs;
    expect(run.results).toHaveLength(3);
    expect(run.invocations[0]).toMatchObject({
      executionSuccessful: false,
      toolExecutionNotifications: [{ message: { text: '2 more findings.' } }],
    });
  });

  it('says that a run without trials found nothing', async () => {
    expect((await sarifRun([])).results).toEqual([]);
  });
});
