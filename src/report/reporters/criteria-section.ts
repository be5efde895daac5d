import { counted } from '../../shared/format.ts';
import { inline, printable } from '../../shared/text.ts';
import {
  type CriteriaReport,
  type CriteriaTest,
  performanceCells,
  performanceHead,
  readCriteriaReport,
} from './criteria-report.ts';
import type { StoredRun } from './reporter.ts';
import { layoutOf } from './table-layout.ts';

type Style = 'console' | 'markdown';

/** A terminal shows the lists of short runs only. */
const mostTests = 200;

/** One line for each test with the counts of its criteria, and a table of their times; empty without criteria. */
export async function criteriaSection(run: StoredRun, style: Style, width?: number): Promise<string> {
  const report = await readCriteriaReport(run, mostTests);
  if (!report) return '';
  return style === 'markdown' ? markdownOf(report) : textOf(report, width);
}

const marks = { pass: '✓', fail: '✗', error: '!', skipped: '-' } as const;
const words = { pass: 'PASS', fail: 'FAIL', error: 'ERROR', skipped: 'SKIPPED' } as const;

function textOf({ tests, performance, isCut }: CriteriaReport, width: number | undefined): string {
  const lines = tests.map(
    ({ outcome, title, counts }) => `  ${marks[outcome]} ${words[outcome]} ${printable(`${title} (${counts})`)}`,
  );
  // The last column of a table is text, and times are numbers.
  const rows = [performanceHead, ...performance.map(performanceCells)].map((cells) => [...cells.map(printable), '']);
  const table = rows.length > 1 ? ['', 'Performance', ...layoutOf({ width }).tableLines(rows, '  ')] : [];
  return ['Tests', ...lines, ...table, ...cutText(tests, isCut).map((text) => `  ${text}`)].join('\n');
}

function markdownOf({ tests, performance, isCut }: CriteriaReport): string {
  const lines = tests.map(
    ({ outcome, title, counts }) => `- ${marks[outcome]} **${words[outcome]}** ${inline(title)} (${inline(counts)})`,
  );
  const rows = performance.map((each) => `| ${performanceCells(each).map(inline).join(' | ')} |`);
  const table = [
    '',
    '## Performance',
    '',
    `| ${performanceHead.join(' | ')} |`,
    '|---|---:|---:|---:|---:|---:|',
    ...rows,
  ];
  const cut = cutText(tests, isCut).flatMap((text) => ['', text]);
  return `${['## Tests', '', ...lines, ...(rows.length > 0 ? table : []), ...cut].join('\n')}\n`;
}

function cutText(tests: readonly CriteriaTest[], isCut: boolean): string[] {
  return isCut ? [`Only the first ${counted(tests.length, 'test')} of the run: the HTML report lists all trials.`] : [];
}
