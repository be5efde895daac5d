import type { JudgeResult } from '../../domain/judge-result.ts';
import { marksOf } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { eachTrial } from '../../keep/store/store.ts';
import type { PanelVotes } from '../../score/judge/panel-agreement.ts';
import type { CiVerdict } from '../compare/ci-verdict.ts';
import type { RepeatFigures, RunFigures } from '../compare/run-figures.ts';
import type { Reporter, StoredRun } from './reporter.ts';
import { readCiReport, readRunFigures } from './run-figures.ts';
import { detailDocuments } from './sections/details.ts';

/** The run document that scripts read: `assay.run/1`. */
export const jsonReporter: Reporter = {
  name: 'json',
  summary: 'one JSON document (assay.run/1)',
  fileName: 'run.json',
  async *render(run) {
    yield runHead(run, await readRunFigures(run), await readCiReport(run), await detailDocuments(run));
    let votes: PanelVotes | undefined;
    let separator = '\n';
    for await (const record of eachTrial(run.store, run.summary.run.runId)) {
      yield `${separator}    ${JSON.stringify(trialDocument(record))}`;
      separator = ',\n';
      if (record.judge?.panel) votes = await addVotes(votes, record.judge);
    }
    const agreement = votes?.agreement();
    yield agreement ? `\n  ],\n  "judgeAgreement": ${JSON.stringify(agreement)}\n}\n` : '\n  ]\n}\n';
  },
};

/** Loaded when a panel has judged: most runs have none. */
async function addVotes(votes: PanelVotes | undefined, judge: JudgeResult): Promise<PanelVotes> {
  const { PanelVotes: Votes } = await import('../../score/judge/panel-agreement.ts');
  const gathered = votes ?? new Votes();
  gathered.add(judge);
  return gathered;
}

/** The document up to the opening of its list of trials, indented for people. */
function runHead(
  { summary, judgeVariance }: StoredRun,
  figures: RunFigures,
  ci: CiVerdict | undefined,
  details: Readonly<Record<string, unknown>>,
): string {
  const { run } = summary;
  const head = {
    schema: 'assay.run/1',
    runId: run.runId,
    ...(run.request.name !== undefined && { name: run.request.name }),
    ...(run.request.origin && { origin: run.request.origin }),
    startedAt: new Date(run.startedAt).toISOString(),
    status: run.status,
    assayVersion: run.assayVersion,
    durationMs: figures.durationMs,
    ...(run.pausedMs !== undefined && { pausedMs: run.pausedMs }),
    outcome: summary.outcome,
    reason: summary.reason,
    totals: figures.totals,
    notJudged: figures.notJudged,
    costUsd: figures.costUsd,
    cost: figures.cost,
    usage: figures.usage,
    tokens: summary.tokens,
    ...(figures.judge && { judgeShare: figures.judge }),
    reused: figures.marks.reused ?? 0,
    marks: figures.marks,
    ratedMarks: figures.ratedMarks,
    ...(figures.timedOut !== undefined && { timedOut: figures.timedOut }),
    ...(run.spending && { spending: run.spending }),
    ...(run.waits && { waits: run.waits }),
    ...(run.hookProblems && { hookProblems: run.hookProblems }),
    ...(run.experiment && { experiment: { ...run.request.experiment, ...run.experiment } }),
    ...(ci && { ci }),
    passRate: figures.passRate,
    cases: figures.cases,
    ...(figures.repeats && { repeats: repeatsDocument(figures.repeats) }),
    ...(figures.resilience && { resilience: figures.resilience }),
    ...(judgeVariance && { judgeVariance }),
    ...details,
  };
  const scenarios = run.scenarios.map(({ name, file, contentHash, identity, ci }) =>
    JSON.stringify({ name, file, contentHash, ...(identity && { identity }), ...(ci && { ci }) }),
  );
  const scenarioList = `  "scenarios": [${scenarios.map((scenario) => `\n    ${scenario}`).join(',')}\n  ],\n`;
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n${scenarioList}  "trials": [`;
}

/** Of cases that did not always pass, the flaky ones: the others are among the trials. */
function repeatsDocument({ cases, flaky, passOfK, unsteady }: RepeatFigures): object {
  return { cases, flaky, passOfK, flakyCases: unsteady.filter(({ flakiness }) => flakiness > 0) };
}

/** One trial as the run document and `assay show --json` give it. */
export function trialDocument(record: TrialRecord): Record<string, unknown> {
  const { startedAt, runId, ordinal, fault, usage, compositeScore, artifacts, cachedFrom, toolError, ...others } =
    record;
  const { toolHealth, workflow, workflowScore, toolPins, ...rest } = others;
  const marks = marksOf(record);
  return {
    ...rest,
    ...(marks.length > 0 && { marks }),
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
