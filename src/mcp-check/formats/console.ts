import { createColors } from 'picocolors';
import { counted, formatDuration } from '../../shared/format.ts';
import { printable, shorten } from '../../shared/text.ts';
import type { CheckReport } from '../check-report.ts';
import type { Severity } from '../definitions/rule.ts';
import type { CheckFormat } from './check-format.ts';
import {
  costMethod,
  costTable,
  grouping,
  leftOutLines,
  type ProblemGroup,
  proofHeading,
  proofLines,
  serverFacts,
  toolCells,
  toolHeads,
  totalsText,
} from './report-words.ts';

type Colors = ReturnType<typeof createColors>;

const severityWords: Readonly<Record<Severity, string>> = { error: 'ERROR', warning: 'WARNING', info: 'NOTE' };
const mostPerRule = 12;
/** Of the columns beside the names of tools in the table of tokens. */
const costColumnsWidth = 42;
const shortestName = 12;
const narrowest = 40;

/** Text for people at a terminal. */
export const consoleFormat: CheckFormat = {
  name: 'console',
  endings: ['.txt'],
  render(report, { color, width }) {
    const colors = createColors(color);
    const columns = Math.max(narrowest, width);
    const parts = [
      factsText(report, colors, columns),
      toolsText(report, colors, columns),
      coverageText(report, colors, columns),
      costText(report, colors, columns),
      proofsText(report, colors, columns),
      ...grouping(report.problems).map((group) => groupText(group, colors, columns)),
      closingText(report, colors),
    ];
    return `\n${parts.filter((part) => part !== '').join('\n\n')}\n`;
  },
};

function factsText(report: CheckReport, colors: Colors, columns: number): string {
  const lines = serverFacts(report).map(([name, value]) => {
    const [first = '', ...rest] = wrapped(printable(value), columns - 24);
    return [`  ${colors.dim(name.padEnd(20))}${first}`, ...rest.map((line) => `${' '.repeat(22)}${line}`)].join('\n');
  });
  return [`  ${colors.bold(printable(report.server.label))}`, ...lines].join('\n');
}

/** A table where there is room for it, if need be without the pins, else some lines for each tool. */
function toolsText({ tools }: CheckReport, colors: Colors, columns: number): string {
  const called = tools.filter(({ leftOut }) => leftOut === null);
  if (called.length === 0) return '';
  const rows = [toolHeads, ...called.map((tool) => toolCells(tool).map(printable))];
  for (const table of [rows, rows.map((row) => row.slice(0, -1))]) {
    const [head = '', ...lines] = tableLines(table);
    if (head.length <= columns) return [colors.dim(head), ...lines].join('\n');
  }
  return rows
    .slice(1)
    .map(([name, ...cells]) => {
      const facts = cells.map((cell, index) => `${toolHeads[index + 1]} ${cell}`).join(', ');
      return [`  ${name}`, ...wrapped(facts, columns - 6).map((text) => `      ${colors.dim(text)}`)].join('\n');
    })
    .join('\n');
}

/** The heaviest tools by what they cost each kind of client; long names are cut to keep the columns in sight. */
function costText(report: CheckReport, colors: Colors, columns: number): string {
  if (report.tools.length === 0) return '';
  const { heads, rows, sums } = costTable(report);
  const longest = Math.max(shortestName, columns - costColumnsWidth);
  const heaviest = rows.slice(0, mostPerRule).map(([name = '', ...cells]) => [shorten(name, longest), ...cells]);
  const [head = '', ...lines] = tableLines([heads, ...heaviest, ...sums].map((row) => row.map(printable)));
  const more = rows.length - heaviest.length;
  return [
    colors.dim(head),
    ...lines.slice(0, heaviest.length),
    ...(more > 0 ? [`  … and ${more} more; --json lists all`] : []),
    ...lines.slice(heaviest.length),
    ...wrapped(`Counted as ${costMethod(report)}.`, columns - 6).map((line) => `    ${colors.dim(line)}`),
  ].join('\n');
}

function proofsText(report: CheckReport, colors: Colors, columns: number): string {
  const heading = proofHeading(report);
  if (heading === undefined) return '';
  const lines = proofLines(report).flatMap((line) => {
    const [first = '', ...rest] = wrapped(printable(line), columns - 8);
    return [`    • ${first}`, ...rest.map((more) => `      ${more}`)];
  });
  return [...wrapped(printable(heading), columns - 4).map((line) => `  ${colors.dim(line)}`), ...lines].join('\n');
}

function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    return `  ${cells.join('  ')}`;
  });
}

function coverageText(report: CheckReport, colors: Colors, columns: number): string {
  const { called, total } = report.coverage;
  if (total === 0) return '';
  const cut = report.tools.flatMap(({ name, cutShort }) =>
    cutShort === null ? [] : [`not all calls of ${name}: ${cutShort}`],
  );
  const lines = [...leftOutLines(report), ...cut].flatMap((line) => wrapped(printable(line), columns - 6));
  const first = `  ${called} of ${counted(total, 'tool')} called${lines.length > 0 ? '; left out:' : ''}`;
  return [first, ...lines.map((line) => `    ${colors.dim(line)}`)].join('\n');
}

function groupText({ rule, problems }: ProblemGroup, colors: Colors, columns: number): string {
  const paint = { error: colors.red, warning: colors.yellow, info: colors.cyan }[rule.severity];
  const listed = problems.slice(0, mostPerRule).flatMap((problem) => problemLines(problem, columns));
  const more = problems.length - mostPerRule;
  return [
    `  ${paint(colors.bold(severityWords[rule.severity]))} ${colors.bold(rule.summary)} ${colors.dim(rule.id)}`,
    ...listed.map((line) => `    ${line}`),
    ...(more > 0 ? [`    … and ${more} more; --json lists all`] : []),
    ...wrapped(`why: ${rule.why}`, columns - 6).map((line) => `    ${colors.dim(line)}`),
    ...wrapped(`fix: ${rule.fix}`, columns - 6).map((line) => `    ${line}`),
    ...(rule.clause === null ? [] : [`    ${colors.dim(`spec: ${rule.clause}`)}`]),
  ].join('\n');
}

function problemLines({ subject, text }: ProblemGroup['problems'][number], columns: number): string[] {
  const [first = '', ...rest] = wrapped(printable(`${subject === '' ? '' : `${subject}: `}${text}`), columns - 8);
  return [`• ${first}`, ...rest.map((line) => `  ${line}`)];
}

function closingText(report: CheckReport, colors: Colors): string {
  const incomplete =
    report.incomplete === null
      ? ''
      : `  ${colors.red('The check could not be finished:')} ${printable(report.incomplete)}\n`;
  const { totals } = report;
  const mark = totals.error > 0 ? colors.red('✗') : totals.warning > 0 ? colors.yellow('!') : colors.green('✓');
  return `${incomplete}  ${mark} ${totalsText(report)} ${colors.dim(`in ${formatDuration(report.durationMs)}, seed ${report.seed}`)}`;
}

/** A text in lines of at most so many columns; words that are longer stay whole. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
