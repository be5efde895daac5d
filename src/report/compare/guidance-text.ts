import { dollars } from '../../domain/cost-sum.ts';
import { counted, formatDuration } from '../../shared/format.ts';
import type { Spread } from '../../shared/stats/spread.ts';
import { printable } from '../../shared/text.ts';
import { type Layout, layoutOf } from '../reporters/table-layout.ts';
import type { CausingCommand, DiagnosisFinding } from './comparison.ts';
import { type GuidanceRow, type GuidanceTable, noGuidance } from './guidance.ts';

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
  { title: 'cost', text: ({ meanCostUsd }) => dollars(meanCostUsd) },
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
  return share === null ? '-' : `${Math.round(share * 100)} %`;
}

const maxWidth = 100;
const shownCommands = 5;

/** A table of guidance texts or agents in words. */
export interface GuidanceView {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
  readonly findings: readonly { readonly title: string; readonly text: string; readonly commands: readonly string[] }[];
}

/** The tables for a page, with the words of the other reports. */
export function guidanceViews(tables: readonly GuidanceTable[]): GuidanceView[] {
  return tables.map((table) => ({
    title: tableTitle(table),
    columns: [table.rowsAre, ...guidanceColumns.map(({ title }) => title)],
    rows: cellsOf(table),
    notes: [...notesOn(table), columnsExplained],
    findings: table.rows.flatMap((row) =>
      row.diagnosis.map(({ title, evidence, cause, advice, commands }) => ({
        title: `${row.name}: ${title} (${evidence})`,
        text: `${cause} ${advice}`,
        commands: [...commands.slice(0, shownCommands).map(commandText), ...moreThan(commands)],
      })),
    ),
  }));
}

/** The comparison as plain text of at most 100 columns, and no wider than a terminal. */
export function guidanceText(tables: readonly GuidanceTable[], width = maxWidth): string {
  const layout = layoutOf({ width: Math.min(width, maxWidth) });
  const parts = tables.map((table) => [
    ...layout.wrapped(`Scenario: ${printable(tableTitle(table))}`, ''),
    '',
    ...layout.tableLines([[table.rowsAre, ...guidanceColumns.map(({ title }) => title), ''], ...cellsOf(table)], '  '),
    '',
    ...notesOn(table).flatMap((note) => layout.wrapped(printable(note), '  ')),
    ...table.rows.flatMap((row) => row.diagnosis.flatMap((finding) => findingLines(row.name, finding, layout))),
    '',
  ]);
  return [...parts.flat(), ...(tables.length > 0 ? layout.wrapped(columnsExplained, '') : [])].join('\n');
}

/** The comparison as Markdown. */
export function guidanceMarkdown(tables: readonly GuidanceTable[]): string {
  const parts = tables.map((table) => [
    `## ${inline(tableTitle(table))}`,
    '',
    `| ${[table.rowsAre, ...guidanceColumns.map(({ title }) => title)].join(' | ')} |`,
    `|---|${'---:|'.repeat(guidanceColumns.length)}`,
    ...cellsOf(table).map((cells) => `| ${cells.map(inline).join(' | ')} |`),
    '',
    ...notesOn(table).map((note) => `- ${inline(note)}`),
    ...table.rows.flatMap((row) => row.diagnosis.map((finding) => findingItem(row.name, finding))),
    '',
  ]);
  return [...parts.flat(), ...(tables.length > 0 ? [columnsExplained, ''] : [])].join('\n');
}

function cellsOf({ rows }: GuidanceTable): string[][] {
  return rows.map((row) => [printable(row.name), ...guidanceColumns.map(({ text }) => text(row))]);
}

function findingLines(
  name: string,
  { title, evidence, cause, advice, commands }: DiagnosisFinding,
  layout: Layout,
): string[] {
  const listed = commands.slice(0, shownCommands).map((each) => layout.cut(`      ${commandText(each)}`));
  return [
    '',
    ...layout.wrapped(printable(`${name}: ${title} (${evidence})`), '  '),
    ...layout.wrapped(cause, '    '),
    ...layout.wrapped(advice, '    '),
    ...listed,
    ...moreThan(commands).map((more) => `      ${more}`),
  ];
}

function findingItem(name: string, { title, evidence, cause, advice, commands }: DiagnosisFinding): string {
  const listed = commands.slice(0, shownCommands).map((each) => `  - ${codeSpan(commandText(each))}`);
  const more = moreThan(commands).map((text) => `  - ${text}`);
  const head = `- **${inline(`${name}: ${title}`)}** (${inline(evidence)}): ${inline(`${cause} ${advice}`)}`;
  return [head, ...listed, ...more].join('\n');
}

function commandText({ repeat, command }: CausingCommand): string {
  const ended = command.exitCode === null ? command.result : `exit ${command.exitCode}`;
  return `${printable(command.line)} (${ended}, repeat ${repeat}, event ${command.eventIndex + 1})`;
}

function moreThan(commands: readonly CausingCommand[]): string[] {
  const more = commands.length - shownCommands;
  return more > 0 ? [`… and ${counted(more, 'more command')}`] : [];
}

/** Text of tools and files must not become markup. */
function inline(text: string): string {
  return printable(text).replace(/[\\`*_[\]<>#|]/g, (character) => `\\${character}`);
}

/** A bar would end the cell of a table, and a backtick the span. */
function codeSpan(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}
