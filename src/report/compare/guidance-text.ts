import { counted } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';
import type { CausingCommand, DiagnosisFinding } from './diagnosis.ts';
import type { GuidanceTable } from './guidance.ts';
import { columnsExplained, guidanceColumns, notesOn, tableTitle } from './guidance-words.ts';

const maxWidth = 100;
const shownCommands = 5;

/** The comparison as plain text of at most 100 columns. */
export function guidanceText(tables: readonly GuidanceTable[]): string {
  const parts = tables.map((table) => [
    ...wrapped(`Scenario: ${printable(tableTitle(table))}`, ''),
    '',
    ...tableLines(table),
    '',
    ...notesOn(table).flatMap((note) => wrapped(printable(note), '  ')),
    ...table.rows.flatMap((row) => row.diagnosis.flatMap((finding) => findingLines(row.name, finding))),
    '',
  ]);
  return [...parts.flat(), ...(tables.length > 0 ? wrapped(columnsExplained, '') : [])].join('\n');
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

/** The names of the variants give way when the table would be too wide. */
function tableLines(table: GuidanceTable): string[] {
  const lines = [[table.rowsAre, ...guidanceColumns.map(({ title }) => title)], ...cellsOf(table)];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0))) ?? [];
  const others = widths.slice(1).reduce((sum, width) => sum + width + 2, 2);
  const nameWidth = Math.max(8, Math.min(widths[0] ?? 0, maxWidth - others));
  return lines.map(([name = '', ...cells]) => {
    const figures = cells.map((cell, column) => cell.padStart(widths[column + 1] ?? 0));
    return `  ${[cut(name, nameWidth).padEnd(nameWidth), ...figures].join('  ')}`;
  });
}

function findingLines(name: string, { title, evidence, cause, advice, commands }: DiagnosisFinding): string[] {
  const shown = commands.slice(0, shownCommands).map((each) => cut(`      ${commandText(each)}`, maxWidth));
  return [
    '',
    ...wrapped(printable(`${name}: ${title} (${evidence})`), '  '),
    ...wrapped(cause, '    '),
    ...wrapped(advice, '    '),
    ...shown,
    ...moreThan(commands).map((more) => `      ${more}`),
  ];
}

function findingItem(name: string, { title, evidence, cause, advice, commands }: DiagnosisFinding): string {
  const shown = commands.slice(0, shownCommands).map((each) => `  - ${codeSpan(commandText(each))}`);
  const more = moreThan(commands).map((text) => `  - ${text}`);
  const head = `- **${inline(`${name}: ${title}`)}** (${inline(evidence)}): ${inline(`${cause} ${advice}`)}`;
  return [head, ...shown, ...more].join('\n');
}

function commandText({ repeat, command }: CausingCommand): string {
  const ended = command.exitCode === null ? command.result : `exit ${command.exitCode}`;
  return `${printable(command.line)} (${ended}, repeat ${repeat}, event ${command.eventIndex + 1})`;
}

function moreThan(commands: readonly CausingCommand[]): string[] {
  const more = commands.length - shownCommands;
  return more > 0 ? [`… and ${counted(more, 'more command')}`] : [];
}

function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && indent.length + longer.length > maxWidth) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line].map((each) => cut(indent + each, maxWidth));
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** Text of tools and files is shown as it is: it cannot become markup. */
function inline(text: string): string {
  return printable(text).replace(/[\\`*_[\]<>#|]/g, (character) => `\\${character}`);
}

/** A bar would end the cell of a table, and a backtick the span. */
function codeSpan(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}
