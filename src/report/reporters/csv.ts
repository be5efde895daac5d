import type { RecordedCoverage } from '../../domain/coverage-schema.ts';
import { observedChannels } from '../../domain/coverage-text.ts';
import { markSentences, marksOf } from '../../domain/marks.ts';
import { isPartlyJudged } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { withinHeap } from '../../keep/store/heap-room.ts';
import { eachTrial } from '../../keep/store/store.ts';
import { wellFormed, withVisibleMarks } from '../../shared/text.ts';
import type { Reporter, StoredRun } from './reporter.ts';
import { readRunFigures, runProperties } from './run-figures.ts';

/** A table for spreadsheets and scripts. */
export const csvReporter: Reporter = {
  name: 'csv',
  summary: 'one row per trial, every metric a column',
  fileName: 'trials.csv',
  render: csvOf,
};

/** Where a spreadsheet may begin a cell, also one that takes another character for the separator. */
const formulaStart = /(?<=^|[;\t\r\n])(?=\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const plainNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const uncarried = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

/**
 * Text of tools and files as a cell that no spreadsheet takes for a formula: an apostrophe stands before what would
 * begin one. A text that is a number stays one. Characters that cannot be seen are named.
 */
export function harmlessCell(text: string): string {
  if (plainNumber.test(text)) return text;
  return withVisibleMarks(wellFormed(text)).replace(uncarried, '\uFFFD').replace(formulaStart, "'");
}

type Cell = string | number | null | undefined;

const columns: Readonly<Record<string, (record: TrialRecord) => Cell>> = {
  run_id: ({ runId }) => runId,
  trial_id: ({ trialId }) => trialId,
  scenario: ({ scenario }) => scenario,
  file: ({ file }) => file,
  case: ({ caseId }) => caseId,
  agent: ({ variant }) => variant.agent,
  model: ({ variant }) => variant.model,
  guidance: ({ variant }) => variant.guidance,
  skills: ({ variant }) => variant.skills,
  harness: ({ variant }) => variant.harness,
  connector: ({ variant }) => variant.connector,
  persona: ({ variant }) => variant.persona,
  description: ({ variant }) => variant.description,
  surface: ({ variant }) => variant.surface,
  attack: ({ variant }) => variant.attack,
  attack_outcome: ({ attack }) => attack?.outcome,
  faults: ({ variant }) => variant.faults,
  approvals: ({ variant }) => variant.approvals,
  repeat: ({ repeat }) => repeat,
  outcome: ({ outcome }) => outcome,
  reason: ({ reason }) => reason,
  fault: ({ fault }) => fault?.code,
  blame: ({ fault }) => fault?.blame,
  started_at: ({ startedAt }) => dateText(startedAt),
  duration_ms: ({ durationMs }) => durationMs,
  cost_usd: ({ costUsd }) => costUsd,
  input_tokens: ({ usage }) => usage?.inputTokens,
  output_tokens: ({ usage }) => usage?.outputTokens,
  gates_passed: ({ gates }) => (gates.length > 0 ? gates.filter(({ passed }) => passed).length : undefined),
  gates_total: ({ gates }) => (gates.length > 0 ? gates.length : undefined),
  judge: ({ judge }) => judge?.state,
  not_judged: (record) => (isPartlyJudged(record) ? record.fault?.message : undefined),
  judge_score: ({ judge }) => judge?.score,
  composite_score: ({ compositeScore }) => compositeScore,
  workflow_score: ({ workflowScore }) => workflowScore,
  reused_from: ({ cachedFrom }) => cachedFrom,
  marks: (record) => marksOf(record).join(' ') || undefined,
  stood_in: (record) => markSentences(record).join(' ') || undefined,
  not_observed: ({ coverage = {} }) => notObservedText(coverage),
  timed_out: ({ timedOut }) => (timedOut ? 1 : undefined),
};

/** Channels that are not complete: `tool-calls partial; files none`. */
function notObservedText(coverage: RecordedCoverage): string | undefined {
  const missing = observedChannels(coverage).filter(({ state }) => state !== 'complete');
  return missing.map(({ channel, state }) => `${channel} ${state}`).join('; ') || undefined;
}

/** Spreadsheets end at 16,384 columns, and a thousand are too many to read. Further figures share a last column. */
const mostFigureColumns = 1_000;
const leftOverColumn = 'more_figures';
const rowsAtATime = 200;

/** The table of a run, piece by piece; which figures there are is looked up first. */
async function* csvOf(run: StoredRun): AsyncGenerator<string, void> {
  const { store, summary } = run;
  const { runId } = summary.run;
  // A table has no place for values of the whole run, so each row carries them.
  const ofRun = runProperties(await readRunFigures(run));
  const runCells = ofRun.map(([, value]) => value);
  const names = new Set<string>();
  let hasLeftOver = false;
  for await (const record of withinHeap(eachTrial(store, runId))) {
    for (const name of Object.keys(figuresOf(record))) {
      if (names.size < mostFigureColumns) names.add(name);
      else hasLeftOver ||= !names.has(name);
    }
  }
  const figures = [...names].sort();
  yield await lines([
    [
      ...Object.keys(columns),
      ...figures,
      ...(hasLeftOver ? [leftOverColumn] : []),
      ...ofRun.map(([name]) => `run.${name}`),
    ],
  ]);
  let rows: Cell[][] = [];
  for await (const record of withinHeap(eachTrial(store, runId))) {
    rows.push([...rowOf(record, figures, hasLeftOver ? names : undefined), ...runCells]);
    if (rows.length < rowsAtATime) continue;
    yield await lines(rows);
    rows = [];
  }
  yield await lines(rows);
}

function rowOf(record: TrialRecord, figures: readonly string[], listed: ReadonlySet<string> | undefined): Cell[] {
  const values = figuresOf(record);
  const row = [
    ...Object.values(columns).map((cell) => cell(record)),
    ...figures.map((name) => (Object.hasOwn(values, name) ? values[name] : undefined)),
  ];
  if (!listed) return row;
  const leftOver = Object.entries(values).filter(([name]) => !listed.has(name));
  return [...row, leftOver.length > 0 ? JSON.stringify(Object.fromEntries(leftOver)) : undefined];
}

/** Every metric, how the tool was used among them, under names that collide with no other column. */
function figuresOf({ metrics }: TrialRecord): Record<string, number | null> {
  return Object.fromEntries(Object.entries(metrics).map(([name, value]) => [`metric.${name}`, value]));
}

async function lines(rows: readonly (readonly Cell[])[]): Promise<string> {
  const { stringify } = await import('csv-stringify/sync');
  return stringify(rows.map((row) => row.map((cell) => (typeof cell === 'number' ? finite(cell) : cell))) as Cell[][], {
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    cast: { string: harmlessCell, number: String },
  });
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

function dateText(ms: number): string | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
