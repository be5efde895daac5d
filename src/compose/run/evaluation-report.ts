import { averageLatency, type ToolHealthEntry, type WorkflowMetric } from '../../domain/mcp-findings.ts';
import type { Fault } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { McpServerConfig } from '../../load/scenarios/formats/mcp-server/mcp-server-schema.ts';

/** One figure of a workflow. */
export type EvaluationResult = WorkflowMetric;

/** Result of one test of a suite. */
export type ToolTestResult = Omit<ToolHealthEntry, 'kind' | 'state' | 'totalLatency'> &
  Partial<Pick<ToolHealthEntry, 'kind' | 'state' | 'totalLatency'>>;

/** Result of one workflow under one variant. */
export interface WorkflowEvaluation {
  readonly workflowName: string;
  readonly results: readonly EvaluationResult[];
  readonly overallScore: number;
  readonly passed: boolean;
  /** Why the workflow could not be judged, such as a model without a key. */
  readonly fault?: Fault | undefined;
}

/** Result of one suite. */
export interface ToolHealthResult {
  readonly suiteName: string;
  readonly description?: string | undefined;
  readonly results: readonly ToolTestResult[];
  readonly overallScore: number;
  readonly passed: boolean;
  readonly totalTests: number;
  readonly passedTests: number;
  readonly failedTests: number;
  /** Milliseconds; null where no call was made. */
  readonly averageLatency: number | null;
  /** Why the suite could not be judged, such as a server that does not start. */
  readonly error?: string | undefined;
}

/** Result of `evaluate`: all findings about a server. */
export interface EvaluationReport {
  /** Without secrets. */
  readonly config: McpServerConfig;
  readonly evaluations: readonly WorkflowEvaluation[];
  readonly toolHealthResults: readonly ToolHealthResult[];
  readonly passed: boolean;
  readonly timestamp: Date;
}

/** A workflow's trial in the report; one that could not be judged has a figure that says why. */
export function workflowEvaluation(record: TrialRecord): WorkflowEvaluation {
  const { scenario, workflow, workflowScore, outcome, reason, fault } = record;
  const passed = outcome === 'pass';
  const unjudged = { metric: 'Execution', passed: false, score: 0, details: reason };
  const results = workflow.length > 0 || passed ? workflow : [unjudged];
  return {
    workflowName: scenario,
    results,
    overallScore: workflowScore ?? (passed ? 1 : 0),
    passed,
    ...(fault && { fault }),
  };
}

/** A suite's trial in the report; `testCount` is what the file has, run or not. */
export function toolHealthResult(
  { scenario, toolHealth, outcome, fault }: TrialRecord,
  description: string,
  testCount: number,
): ToolHealthResult {
  const totalTests = Math.max(toolHealth.length, testCount);
  const passedTests = toolHealth.filter(({ passed }) => passed).length;
  return {
    suiteName: scenario,
    ...(description !== '' && { description }),
    results: toolHealth,
    overallScore: totalTests === 0 ? 1 : passedTests / totalTests,
    passed: outcome === 'pass',
    totalTests,
    passedTests,
    failedTests: totalTests - passedTests,
    averageLatency: averageLatency(toolHealth),
    ...(fault && { error: fault.message }),
  };
}
