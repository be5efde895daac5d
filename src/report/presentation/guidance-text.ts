import { code, firstOf, type Item, list, type Section, table, text, type Words } from '../../shared/blocks/block.ts';
import { costText, counted, formatDuration, wholePercent } from '../../shared/format.ts';
import type { Spread } from '../../shared/stats/spread.ts';
import type { DiagnosisFinding } from '../compare/comparison.ts';
import { type GuidanceRow, type GuidanceTable, noGuidance } from '../compare/guidance.ts';

/** The columns of the table, in the order of seed 002's example. */
const guidanceColumns: readonly {
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
  { title: 'cost', text: ({ meanCostUsd }) => costText(meanCostUsd) },
  { title: 'time', text: ({ meanDurationMs }) => formatDuration(meanDurationMs) },
];

const columnsExplained =
  'Means per trial. errors: share of commands that failed; help: calls for help; first try: share of commands that ' +
  'were new and succeeded; cmds: commands; ratio: different commands / all; done: share of trials that completed.';

/** `create_and_link, claude-code, sonnet`, or `create_and_link, guidance v2` above a table of agents. */
function tableTitle({ scenario, caseId, rowsAre, shared }: GuidanceTable): string {
  const place = caseId === '' ? scenario : `${scenario} › ${caseId}`;
  if (rowsAre === 'guidance') return shared === '' ? place : `${place}, ${shared}`;
  return shared === noGuidance ? place : `${place}, guidance ${shared}`;
}

function notesOn(table: GuidanceTable): string[] {
  return [...table.rows.flatMap(notesOnRow), ...conclusionOf(table)];
}

function notesOnRow(row: GuidanceRow): string[] {
  const { name } = row;
  const notes: string[] = [];
  if (row.unjudged > 0) notes.push(`${name}: ${counted(row.unjudged, 'trial')} could not be judged or did not run.`);
  const { unmeasured } = row;
  if (unmeasured.trials > 0)
    notes.push(`${name}: no figures of ${counted(unmeasured.trials, 'trial')}: ${unmeasured.reason}.`);
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

/** Whether chance explains a difference is a question for a comparison, which corrects for all that it looks at. */
function conclusionOf({ rows, rowsAre, fewestTrials, undelivered }: GuidanceTable): string[] {
  if (undelivered.length > 0) return [`The guidance cannot be compared: ${undelivered.join('; ')}.`];
  if (rows.length < 2) return [];
  if (fewestTrials < 2) {
    return ['Only one trial per variant. Agents vary between runs: use --repeat 5 before drawing conclusions.'];
  }
  const isSame = (['errorRate', 'firstTry'] as const).every(
    (figure) => new Set(rows.map((row) => row[figure]?.mean)).size < 2,
  );
  return isSame ? [] : [`Run \`assay compare latest --by ${rowsAre}\` to see whether chance explains the differences.`];
}

function meanText(spread: Spread | null, digits: number): string {
  return spread ? spread.mean.toFixed(digits) : '-';
}

function percent(share: number | null): string {
  return share === null ? '-' : wholePercent(share);
}

const shownCommands = 5;

/** Whether a trial was judged or measured: a table of dashes would hide why none was. */
function hasFigures({ rows }: GuidanceTable): boolean {
  return rows.some(({ passShare, errorRate, completedShare }) =>
    [passShare, errorRate, completedShare].some((figure) => figure !== null),
  );
}

/** Each table of guidance texts or agents, with notes and what the figures point to. */
export function guidanceSections(tables: readonly GuidanceTable[]): Section[] {
  return tables.filter(hasFigures).map((guidance) => {
    const heads = [guidance.rowsAre, ...guidanceColumns.map(({ title }) => `#${title}`)];
    const rows = guidance.rows.map((row) => [row.name, ...guidanceColumns.map(({ text: cell }) => cell(row))]);
    const findings = guidance.rows.flatMap(({ name, diagnosis }) => findingItems(diagnosis, name));
    return {
      title: `Guidance and variants: ${tableTitle(guidance)}`,
      blocks: [table(heads, rows), list([...findings, ...notesOn(guidance)]), text(columnsExplained, 'quiet')],
    };
  });
}

/** The findings about a variant or a side: what to do, and the commands that caused it, listed once. */
export function findingItems(findings: readonly DiagnosisFinding[], name: string): Item[] {
  const listedBefore = new Set<string>();
  return findings.map(({ title, evidence, cause, advice, isGood, commands }) => {
    const words = [{ text: `${name}: ${title}`, tone: 'strong' as const }, ` (${evidence})`];
    if (isGood) return { words, below: [advice] };
    const lines = commandLines(commands);
    const key = JSON.stringify(lines);
    const isListed = lines.length > 0 && listedBefore.has(key);
    listedBefore.add(key);
    return { words, below: [`${cause} ${advice}`, ...(isListed ? ['the same commands as above'] : lines)] };
  });
}

function commandLines(commands: DiagnosisFinding['commands']): Words[] {
  const { listed, more } = firstOf(commands, shownCommands, (hidden) => counted(hidden, 'more command'));
  const lines = listed.map(({ repeat, command }) => {
    const ended = command.exitCode === null ? command.result : `exit ${command.exitCode}`;
    return [code(`${command.line} (${ended}, repeat ${repeat}, event ${command.eventIndex + 1})`)];
  });
  return [...lines, ...more];
}
