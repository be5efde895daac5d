import type { ToolHealthEntry, WorkflowMetric } from '../../../domain/mcp-findings.ts';
import type { TrialRecord } from '../../../domain/record.ts';

export type McpRecord = Pick<TrialRecord, 'toolHealth' | 'workflow' | 'workflowScore' | 'judge'>;

/** Counts over the repeats of a trial with an MCP server; small, however many repeats there are. */
export interface McpTally<Found extends McpRecord = McpRecord> {
  readonly first: Found;
  repeats: number;
  readonly tests: Map<string, TestTally>;
  readonly metrics: Map<string, MetricTally>;
  /** Scores of the repeats that have one. */
  readonly scores: Mean;
  /** Why the judge has no metric, where one was wanted, with the number of repeats. */
  readonly unjudged: Map<string, number>;
}

export interface Mean {
  sum: number;
  count: number;
}

export interface TestTally {
  readonly entry: ToolHealthEntry;
  readonly states: Record<ToolHealthEntry['state'], number>;
  readonly latency: Mean & { most: number };
  /** Why it did not pass, with the number of repeats. */
  readonly details: Map<string, number>;
}

export interface MetricTally {
  readonly name: string;
  readonly states: Record<'pass' | 'fail' | 'error', number>;
  readonly score: Mean;
  readonly details: Map<string, number>;
}

export function newTally<Found extends McpRecord>(first: Found): McpTally<Found> {
  const mean = { sum: 0, count: 0 };
  return { first, repeats: 0, tests: new Map(), metrics: new Map(), scores: mean, unjudged: new Map() };
}

/** Counts one more repeat. */
export function addRepeat(tally: McpTally, record: McpRecord): void {
  tally.repeats++;
  // Two tests of a suite may have one name.
  const names = new Map<string, number>();
  for (const entry of record.toolHealth) {
    const name = JSON.stringify([entry.testName, entry.toolName]);
    const number = increment(names, name);
    addTest(tally, `${name} ${number}`, entry);
  }
  for (const metric of record.workflow) addMetric(tally, metric);
  if (record.workflowScore !== null) addTo(tally.scores, record.workflowScore);
  const { judge, workflow } = record;
  const isUnjudged = workflow.length > 0 && judge && !workflow.some(({ metric }) => metric === 'LLM Judge');
  if (isUnjudged) increment(tally.unjudged, judge.reason);
}

function addTest({ tests }: McpTally, key: string, entry: ToolHealthEntry): void {
  const isNew = { states: { pass: 0, fail: 0, error: 0 }, latency: { sum: 0, count: 0, most: 0 }, details: new Map() };
  const test: TestTally = tests.get(key) ?? { entry, ...isNew };
  tests.set(key, test);
  test.states[entry.state]++;
  if (entry.state !== 'pass') increment(test.details, entry.details);
  if (entry.latency === null) return;
  addTo(test.latency, entry.latency);
  test.latency.most = Math.max(test.latency.most, entry.latency);
}

function addMetric({ metrics }: McpTally, { metric: name, passed, score, state, details }: WorkflowMetric): void {
  const isNew = { states: { pass: 0, fail: 0, error: 0 }, score: { sum: 0, count: 0 }, details: new Map() };
  const metric: MetricTally = metrics.get(name) ?? { name, ...isNew };
  metrics.set(name, metric);
  metric.states[state ?? (passed ? 'pass' : 'fail')]++;
  // An unjudged metric has no score.
  if (state !== 'error') addTo(metric.score, score);
  increment(metric.details, details);
}

function addTo(mean: Mean, value: number): void {
  mean.sum += value;
  mean.count++;
}

function increment(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
