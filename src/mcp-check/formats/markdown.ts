import { formatDuration } from '../../shared/format.ts';
import { inline, printable } from '../../shared/text.ts';
import type { CheckReport } from '../check-report.ts';
import { type Severity, severities } from '../definitions/rule.ts';
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

const headings: Readonly<Record<Severity, string>> = { error: 'Errors', warning: 'Warnings', info: 'Notes' };

/** A page for pull requests and wikis. */
export const markdownFormat: CheckFormat = {
  name: 'markdown',
  endings: ['.md', '.markdown'],
  render(report) {
    const parts = [
      `# MCP check: ${plainText(report.server.name)}`,
      `**${totalsText(report)}** in ${formatDuration(report.durationMs)} (seed ${report.seed})`,
      report.incomplete === null ? '' : `> The check could not be finished: ${plainText(report.incomplete)}`,
      factsList(report),
      ...severities.map((severity) => problemsSection(report, severity)),
      toolsSection(report),
      costSection(report),
      proofsSection(report),
    ];
    return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
  },
};

function factsList(report: CheckReport): string {
  const facts = [['started as', report.server.label], ...serverFacts(report)];
  return facts.map(([name, value]) => `- ${name}: ${plainText(value ?? '')}`).join('\n');
}

function problemsSection({ problems }: CheckReport, severity: Severity): string {
  const groups = grouping(problems.filter((problem) => problem.severity === severity));
  if (groups.length === 0) return '';
  return [`## ${headings[severity]}`, ...groups.map(groupText)].join('\n\n');
}

function groupText({ rule, problems }: ProblemGroup): string {
  const items = problems.map((problem) => `- ${problemText(problem)}`).join('\n');
  const clause = rule.clause === null ? '' : `\n\n*Specification:* <${rule.clause}>`;
  return `### ${plainText(rule.summary)} (\`${rule.id}\`)\n\n${items}\n\n*Why:* ${plainText(rule.why)}\n\n*Fix:* ${plainText(rule.fix)}${clause}`;
}

function problemText({ subject, text }: ProblemGroup['problems'][number]): string {
  return `${subject === '' ? '' : `**${plainText(subject)}**: `}${plainText(text)}`;
}

function toolsSection(report: CheckReport): string {
  if (report.tools.length === 0) return '';
  const { called, total } = report.coverage;
  const left = leftOutLines(report)
    .map((line) => `- ${plainText(line)}`)
    .join('\n');
  const leftOut = left === '' ? '' : `\n\nLeft out:\n\n${left}`;
  return `## Tools\n\n${called} of ${total} called.${leftOut}\n\n${table(toolHeads, report.tools.map(toolCells))}`;
}

function costSection(report: CheckReport): string {
  if (report.tools.length === 0) return '';
  const { heads, rows, sums } = costTable(report);
  return `## Context cost\n\nCounted as ${plainText(costMethod(report))}.\n\n${table(heads, [...rows, ...sums])}`;
}

/** The first column holds names, the others figures. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const aligned = heads.map((_, column) => (column === 0 ? '---' : '---:'));
  return [heads, aligned, ...rows.map((row) => row.map(plainText))].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function proofsSection(report: CheckReport): string {
  const heading = proofHeading(report);
  if (heading === undefined) return '';
  const lines = proofLines(report).map((line) => `\n- ${plainText(line)}`);
  return `## Ambiguous pairs\n\n${plainText(heading)}.${lines.length > 0 ? `\n${lines.join('')}` : ''}`;
}

/** Our own texts put names into backticks; in a page they stand as they are, like everything foreign. */
function plainText(text: string): string {
  return inline(printable(text.replaceAll('`', "'")));
}
