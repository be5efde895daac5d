import { formatDuration } from '../shared/durations.ts';
import { counted } from '../shared/numbers.ts';
import type { Spread } from '../stats/spread.ts';
import type { GuidanceRow, GuidanceTable } from './guidance.ts';

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
  { title: 'cost', text: ({ meanCostUsd }) => `$${meanCostUsd.toFixed(4)}` },
  { title: 'time', text: ({ meanDurationMs }) => formatDuration(meanDurationMs) },
];

/** What the columns mean, for below the table. */
export const columnsExplained =
  'Means per trial. errors: share of commands that failed; help: calls for help; first try: share of commands that ' +
  'were new and succeeded; cmds: commands; ratio: different commands / all; done: share of trials that completed.';

/** Trials of each variant from which on the closing caution is left out. */
const trialsThatTell = 5;

/** The name of a variant for people. */
export function guidanceName({ guidance }: GuidanceRow): string {
  return guidance === '' ? '(as it is)' : guidance;
}

/** `create_and_link, claude-code, sonnet`. */
export function tableTitle({ scenario, caseId, agent, model }: GuidanceTable): string {
  return [caseId === '' ? scenario : `${scenario} › ${caseId}`, agent, model].filter(Boolean).join(', ');
}

/** What one must know to read the figures rightly. */
export function notesOn(table: GuidanceTable): string[] {
  return [...table.rows.flatMap(notesOnRow), ...conclusionOf(table)];
}

function notesOnRow(row: GuidanceRow): string[] {
  const name = guidanceName(row);
  const notes: string[] = [];
  if (row.unjudged > 0) notes.push(`${name}: ${counted(row.unjudged, 'trial')} could not be judged or did not run.`);
  if (row.withoutCommands > 0) {
    notes.push(`${name}: in ${counted(row.withoutCommands, 'trial')} the tool was never called; the rates count as 0.`);
  }
  return notes;
}

function conclusionOf({ rows, fewestTrials }: GuidanceTable): string[] {
  if (rows.length < 2) return ['There is only one variant, so there is nothing to compare it with.'];
  if (fewestTrials < 2) {
    return ['One trial each is an observation, not a comparison: agents differ from try to try. Repeat it to compare.'];
  }
  const notes = [
    rangeNote('error rate', rows, ({ errorRate }) => errorRate),
    rangeNote('first-try success rate', rows, ({ firstTry }) => firstTry),
  ].filter((note) => note !== undefined);
  const isLittle = notes.length > 0 && fewestTrials < trialsThatTell;
  return isLittle ? [...notes, 'With so few trials each this is a hint and no proof.'] : notes;
}

/** Lowest against highest mean, and whether the trials of the two overlap. */
function rangeNote(
  figure: string,
  rows: readonly GuidanceRow[],
  spreadOf: (row: GuidanceRow) => Spread | null,
): string | undefined {
  const known = rows.flatMap((row) => {
    const spread = spreadOf(row);
    return spread ? [{ name: guidanceName(row), spread }] : [];
  });
  const sorted = known.sort((a, b) => a.spread.mean - b.spread.mean);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (!low || !high || low === high) return undefined;
  const ranges = [low, high].map(({ name, spread }) => `${name} ${meanText(spread, 2)} (${rangeText(spread)})`);
  const isApart = low.spread.max < high.spread.min;
  const verdict = isApart
    ? 'The trials of the two do not overlap.'
    : 'The trials of the two overlap, so chance may explain the difference.';
  return `Mean ${figure}, with the range of the trials: ${ranges.join(', ')}. ${verdict}`;
}

function rangeText({ min, max }: Spread): string {
  return `${min.toFixed(2)} to ${max.toFixed(2)}`;
}

function meanText(spread: Spread | null, digits: number): string {
  return spread ? spread.mean.toFixed(digits) : '-';
}

function percent(share: number | null): string {
  return share === null ? '-' : `${Math.round(share * 100)} %`;
}
