import type { TrialRecord } from '../domain/record.ts';
import { eachTrial } from '../store/store.ts';
import type { Reporter, StoredRun } from './reporter.ts';

/** The run document that scripts read: `assay.run/1`. */
export const jsonReporter: Reporter = {
  name: 'json',
  summary: 'one JSON document (assay.run/1)',
  fileName: 'run.json',
  async *render(run) {
    yield runHead(run);
    let separator = '\n';
    for await (const record of eachTrial(run.store, run.summary.run.runId)) {
      yield `${separator}    ${JSON.stringify(trialDocument(record))}`;
      separator = ',\n';
    }
    yield '\n  ]\n}\n';
  },
};

/** The document up to the opening of its list of trials, laid out so that a person can read it too. */
function runHead({ summary, judgeVariance }: StoredRun): string {
  const { run } = summary;
  const head = {
    schema: 'assay.run/1',
    runId: run.runId,
    ...(run.request.name !== undefined && { name: run.request.name }),
    ...(run.request.origin && { origin: run.request.origin }),
    startedAt: new Date(run.startedAt).toISOString(),
    status: run.status,
    assayVersion: run.assayVersion,
    durationMs: summary.durationMs,
    outcome: summary.outcome,
    reason: summary.reason,
    totals: summary.totals,
    notJudged: summary.notJudged,
    costUsd: summary.costUsd,
    cost: summary.cost,
    usage: summary.usage,
    reused: summary.reused,
    ...(judgeVariance && { judgeVariance }),
  };
  const scenarios = run.scenarios.map(({ name, file, contentHash }) => JSON.stringify({ name, file, contentHash }));
  const told = `  "scenarios": [${scenarios.map((scenario) => `\n    ${scenario}`).join(',')}\n  ],\n`;
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n${told}  "trials": [`;
}

/** One trial as the run document and `assay show --json` give it. */
export function trialDocument(record: TrialRecord): Record<string, unknown> {
  const { startedAt, runId, ordinal, fault, usage, compositeScore, artifacts, cachedFrom, toolError, ...others } =
    record;
  const { toolHealth, workflow, workflowScore, toolPins, ...rest } = others;
  return {
    ...rest,
    ...(usage ? { usage } : {}),
    ...(fault ? { fault } : {}),
    ...(toolError ? { toolError } : {}),
    startedAt: new Date(startedAt).toISOString(),
    ...(artifacts === null ? {} : { artifacts }),
    ...(cachedFrom === null ? {} : { cachedFrom }),
    ...(compositeScore === null ? {} : { composite_score: compositeScore }),
    gates_passed: record.gates.filter(({ passed }) => passed).length,
    gates_total: record.gates.length,
    workflow: workflow.length === 0 ? null : workflow,
    ...(workflowScore === null ? {} : { workflow_score: workflowScore }),
    toolHealth: toolHealth.length === 0 ? null : toolHealth,
    ...(toolPins === null ? {} : { toolPins }),
  };
}
