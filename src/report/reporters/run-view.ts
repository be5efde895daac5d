import { importedFrom, type RunCounts, type RunHeader, type RunSummary } from '../../domain/run.ts';
import type { CellCounts } from '../../keep/store/store.ts';
import { type Section, text } from '../../shared/blocks/block.ts';
import type { AttackTable } from '../compare/attack-table.ts';
import type { CiVerdict } from '../compare/ci-verdict.ts';
import { lastLooks } from '../compare/experiment-rounds.ts';
import type { RepeatedCase, RepeatFigures, RunFigures } from '../compare/run-figures.ts';
import { attackWarning } from '../presentation/attack-text.ts';
import { ciSection } from '../presentation/run-text.ts';
import type { StoredRun } from './reporter.ts';
import { readCiReport, readRunFigures } from './run-figures.ts';
import { readAttackTables } from './sections/attacks.ts';

/** The counts and figures of a run. */
export interface CountedRun {
  readonly counts: RunCounts;
  readonly cells: readonly CellCounts[];
  readonly figures: RunFigures;
  /** Null without rules for CI. */
  readonly ci: Section | null;
  /** Empty for a run that was not attacked. */
  readonly attacks: readonly AttackTable[];
}

/** Counts the trials of a run, and computes its figures. */
export async function readCounted(stored: StoredRun): Promise<CountedRun> {
  const { store, summary } = stored;
  const { runId } = summary.run;
  const figures = await readRunFigures(stored);
  const verdict = await readCiReport(stored);
  const attacks = await readAttackTables(stored);
  const cells = await store.countByCell(runId);
  const counts = await store.countTrials(runId);
  return { counts, cells, figures, attacks, ci: verdict ? ciOfPage(verdict) : null };
}

const mostCiLines = 200;

function ciOfPage(verdict: CiVerdict): Section {
  const section = ciSection(verdict, mostCiLines);
  const note = 'By the files alone. A build with --baseline also knows which cases were flaky before.';
  return { ...section, blocks: [...section.blocks, text(note, 'quiet')] };
}

const shownScenarios = 5;

/** A run as lists show it. */
export function runItem({ run, ...summary }: RunSummary, isLive: boolean) {
  const { totals, notJudged, marks, outcome, reason, durationMs, cost, costUsd } = summary;
  const names = [...new Set(run.scenarios.map(({ name }) => name))];
  return {
    runId: run.runId,
    name: run.request.name ?? null,
    tags: run.labels?.tags ?? [],
    notes: run.labels?.notes ?? null,
    isArchived: run.labels?.isArchived ?? false,
    source: run.source ?? null,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    status: run.status,
    isLive,
    execution: executionOf(run),
    origin: run.request.origin?.kind ?? ('run' as const),
    importedFrom: importedFrom(run) ?? null,
    experiment: experimentItem(run),
    scenarioNames: names.slice(0, shownScenarios),
    scenarioCount: run.scenarios.length,
    totals,
    notJudged,
    marks,
    outcome,
    reason,
    durationMs,
    costUsd,
    cost,
  };
}

function experimentItem({ request, experiment }: RunHeader) {
  if (!request.experiment || !experiment) return null;
  const { reference, ending } = experiment;
  const arms = lastLooks(experiment).map(({ arm, answer }) => ({ arm, answer }));
  return { by: request.experiment.by, reference, ending, arms };
}

function executionOf({ request }: RunHeader) {
  const { eval: name, execution } = request;
  return name === undefined || execution === undefined ? null : { eval: name, id: execution };
}

/** A run by its counts, which the store keeps beside its trials. */
export function runHead(summary: RunSummary, { counts, cells }: Pick<CountedRun, 'counts' | 'cells'>, isLive: boolean) {
  return { ...runItem(summary, isLive), header: summary.run, tokens: counts.tokens, cells: [...cells] };
}

/** All that the page of a run shows, beside what can be done with it. */
export function runView(summary: RunSummary, counted: CountedRun, isLive: boolean) {
  return { ...runHead(summary, counted, isLive), ...runFigures(counted) };
}

function runFigures({ figures, ci, attacks }: CountedRun) {
  return {
    judge: figures.judge ?? null,
    passRate: figures.passRate,
    ratedMarks: [...figures.ratedMarks],
    cases: figures.cases,
    ci,
    attackWarning: attackWarning(attacks) ?? null,
    repeats: figures.repeats && shownRepeats(figures.repeats),
    resilience: figures.resilience,
  };
}

const mostCases = 100;

/** Cases that did not always pass: the flakiest of them. */
function shownRepeats({ unsteady, passOfK, ...counts }: RepeatFigures) {
  const chances = passOfK.map(({ variant, passAtK, passHatK }) => ({
    variant,
    passAtK: [...passAtK],
    passHatK: [...passHatK],
  }));
  const flakiest: RepeatedCase[] = unsteady.slice(0, mostCases);
  return { ...counts, unsteady: flakiest, passOfK: chances };
}
