import { faultSource } from '../../domain/fault-source.ts';
import { markSentences } from '../../domain/marks.ts';
import { isPartlyJudged } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { decidingCriteria, trialTitle } from '../presentation/trial-text.ts';

type ProblemElement = 'failure' | 'error' | 'skipped';

/** A test case as CI systems know it. */
export interface JunitCase {
  readonly name: string;
  readonly classname: string;
  /** Null where it was not measured. */
  readonly durationMs: number | null;
  readonly problem?: { readonly element: ProblemElement; readonly message: string; readonly type: string };
  /** Evaluators that a passing verdict left out. */
  readonly note?: string;
  /** Sentences of its marks. */
  readonly standIns?: readonly string[];
  /** Printed with the problem. */
  readonly details: readonly string[];
}

/**
 * The test cases of a trial: the trial itself or, with an MCP server, each test of its suite and each metric of its
 * workflow. A trial that did not pass for another reason gets its own case, so it is never missed.
 */
export function junitCases(record: TrialRecord): JunitCase[] {
  const cases = [...healthCases(record), ...metricCases(record)];
  if (cases.length === 0) return [trialCase(record)];
  if (isPartlyJudged(record)) return [...cases, { ...trialCase(record), durationMs: 0 }];
  const isExplained = record.outcome === 'pass' || cases.some(({ problem }) => problem?.element === elementOf(record));
  return isExplained ? cases : [...cases, trialCase(record)];
}

function trialCase(record: TrialRecord): JunitCase {
  const { file: classname, durationMs, outcome, reason: message, fault } = record;
  const named = {
    name: trialTitle(record),
    classname,
    durationMs,
    standIns: markSentences(record),
  };
  if (isPartlyJudged(record) && fault) return { ...named, note: fault.message, details: [] };
  if (outcome === 'pass') return { ...named, details: [] };
  const problem = {
    element: elementOf(record),
    message,
    type: fault?.code ?? (outcome === 'skipped' ? 'Skipped' : 'AssertionFailed'),
  };
  return { ...named, problem, details: failureDetails(record) };
}

function healthCases(record: TrialRecord): JunitCase[] {
  const title = trialTitle(record);
  return record.toolHealth.map(({ testName, toolName, latency, state, details, error }) => {
    const named = { name: `${title} › ${testName}`, classname: record.file, durationMs: latency };
    if (state === 'pass') return { ...named, details: [] };
    const element = state === 'fail' ? 'failure' : 'error';
    const type = state === 'fail' ? 'AssertionFailed' : (record.fault?.code ?? 'NotJudged');
    const lines = [`tool: ${toolName}`, ...(error === undefined ? [] : [error]), `trial ${record.trialId}`];
    return { ...named, problem: { element, message: details, type }, details: lines };
  });
}

function metricCases(record: TrialRecord): JunitCase[] {
  const title = trialTitle(record);
  return record.workflow.map(({ metric, passed, details }) => {
    // The steps share one duration, so it counts once.
    const durationMs = metric === record.workflow[0]?.metric ? record.durationMs : 0;
    const named = { name: `${title} › ${metric}`, classname: record.file, durationMs };
    if (passed) return { ...named, details: [] };
    const isError = metric === 'LLM Judge' && record.judge?.state === 'error';
    const problem = {
      element: isError ? ('error' as const) : ('failure' as const),
      message: details,
      type: 'AssertionFailed',
    };
    return { ...named, problem, details: [`trial ${record.trialId}`] };
  });
}

function elementOf({ outcome }: TrialRecord): ProblemElement {
  if (outcome === 'skipped') return 'skipped';
  return outcome === 'fail' ? 'failure' : 'error';
}

function failureDetails(record: TrialRecord): string[] {
  const lines = record.evaluatorResults
    .filter((result) => result.state === 'fail' || result.state === 'error')
    .map((result) => `${result.type}: ${result.reason}`);
  lines.push(...decidingCriteria(record).map((detail) => `${detail.criterion}: ${detail.explanation}`));
  if (record.fault) lines.push(`${record.fault.code} (source: ${faultSource(record.fault)}): ${record.fault.hint}`);
  lines.push(`trial ${record.trialId}`);
  return lines;
}
