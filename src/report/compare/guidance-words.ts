import { dollars } from '../../domain/spend.ts';
import { counted, formatDuration } from '../../shared/format.ts';
import { permuteTrials } from '../../shared/stats/permute-trials.ts';
import { mean, type Spread } from '../../shared/stats/spread.ts';
import { type GuidanceRow, type GuidanceTable, noGuidance } from './guidance.ts';

/** The columns of the table, in the order of seed 002's example. */
export const guidanceColumns: readonly {
  readonly title: string;
  readonly text: (row: GuidanceRow) => string;
}[] = [
  { title: 'trials', text: ({ trials }) => String(trials) },
  { title: 'errors', text: ({ errorRate }) => meanText(errorRate, 2) },
  { title: 'help', text: ({ help }) => meanText(help, 1) },
  { title: 'first try', text: ({ firstTry }) => meanText(firstTry, 2) },
  { title: 'cmds', text: ({ commands }) => meanText(commands, 1) },
  { title: 'ratio', text: ({ iterationRatio }) => meanText(iterationRatio, 2) },
  { title: 'done', text: ({ completedShare }) => percent(completedShare) },
  { title: 'passed', text: ({ passShare }) => percent(passShare) },
  { title: 'cost', text: ({ meanCostUsd }) => dollars(meanCostUsd) },
  { title: 'time', text: ({ meanDurationMs }) => formatDuration(meanDurationMs) },
];

/** What the columns mean, for below the table. */
export const columnsExplained =
  'Means per trial. errors: share of commands that failed; help: calls for help; first try: share of commands that ' +
  'were new and succeeded; cmds: commands; ratio: different commands / all; done: share of trials that completed.';

/** Trials of each variant from which on the closing caution is left out. */
const trialsThatTell = 5;

/** `create_and_link, claude-code, sonnet`, or `create_and_link, guidance v2` above a table of agents. */
export function tableTitle({ scenario, caseId, rowsAre, shared }: GuidanceTable): string {
  const place = caseId === '' ? scenario : `${scenario} › ${caseId}`;
  if (rowsAre === 'guidance') return shared === '' ? place : `${place}, ${shared}`;
  return shared === noGuidance ? place : `${place}, guidance ${shared}`;
}

/** What one must know to read the figures rightly. */
export function notesOn(table: GuidanceTable): string[] {
  return [...table.rows.flatMap(notesOnRow), ...conclusionOf(table)];
}

function notesOnRow(row: GuidanceRow): string[] {
  const { name } = row;
  const notes: string[] = [];
  if (row.unjudged > 0) notes.push(`${name}: ${counted(row.unjudged, 'trial')} could not be judged or did not run.`);
  if (row.withoutCommands > 0) {
    notes.push(`${name}: in ${counted(row.withoutCommands, 'trial')} the tool was never called; the rates count as 0.`);
  }
  const { calls, trials, example } = row.unrecorded;
  if (calls > 0) {
    const count = `${counted(calls, 'unrecorded call')} in ${counted(trials, 'trial')}`;
    notes.push(`${name}: ${count} bypassed the recorder, so the figures leave them out, such as: ${example}`);
  }
  return notes;
}

function conclusionOf({ rows, fewestTrials }: GuidanceTable): string[] {
  if (rows.length < 2) return [];
  if (fewestTrials < 2) {
    return ['Only one trial per variant. Agents vary between runs: use --repeat 5 before drawing conclusions.'];
  }
  const notes = [
    rangeNote('error rate', rows, 'errorRate'),
    rangeNote('first-try success rate', rows, 'firstTry'),
  ].filter((note) => note !== undefined);
  const isLittle = notes.length > 0 && fewestTrials < trialsThatTell;
  return isLittle ? [...notes, 'With so few trials per variant this is a hint, not a proof.'] : notes;
}

/**
 * Lowest against highest mean, and whether chance explains the difference on this task. Rows are chosen after looking at
 * all of them, so that the test is corrected for all pairs.
 */
function rangeNote(figure: string, rows: readonly GuidanceRow[], key: keyof GuidanceRow['values']): string | undefined {
  const sorted = rows
    .filter(({ values }) => values[key].length > 0)
    .map((row) => ({ name: row.name, values: row.values[key], mean: mean(row.values[key]) }))
    .sort((a, b) => a.mean - b.mean);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (!low || !high || low.mean === high.mean) return undefined;
  const level = 0.05 / ((sorted.length * (sorted.length - 1)) / 2);
  const found = permuteTrials([{ a: low.values, b: high.values }], level);
  const means = [low, high].map((each) => `${each.name} ${each.mean.toFixed(2)}`).join(', ');
  const { interval } = found ?? {};
  const range = interval ? ` (difference ${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})` : '';
  const isBeyondChance = (found?.pValue ?? 1) <= level;
  const verdict = isBeyondChance ? 'chance hardly explains the difference' : 'chance may explain the difference';
  return `Mean ${figure} on this task: ${means}${range}; ${verdict}.`;
}

function meanText(spread: Spread | null, digits: number): string {
  return spread ? spread.mean.toFixed(digits) : '-';
}

function percent(share: number | null): string {
  return share === null ? '-' : `${Math.round(share * 100)} %`;
}
