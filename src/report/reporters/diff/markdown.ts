import { counted } from '../../../shared/format.ts';
import { inline } from '../../../shared/text.ts';
import type { RepeatsDiff, TrialsDiff } from '../../compare/trajectory/trajectory-comparison.ts';
import {
  countsText,
  type Diff,
  foldedRows,
  legendText,
  shareText,
  sideLine,
  statusMarks,
  stepText,
  trialLine,
  usualStepText,
} from '../../presentation/diff-text.ts';

const mostRows = 400;

/** A comparison of trajectories for a web page or a pull request. */
export function diffMarkdown(diff: Diff): string {
  const head = diff.kind === 'trials' ? [diff.a, diff.b].map(trialLine) : [diff.a, diff.b].map(sideLine);
  const rows = diff.kind === 'trials' ? trialTable(diff) : usualTable(diff);
  const legend = legendText(diff);
  const parts = [
    [`# ${inline(countsText(diff))}`],
    head.map((line, index) => `- **${'AB'.charAt(index)}**: ${inline(line)}`),
    rows,
    legend === '' ? [] : [inline(legend)],
    diff.notes.map((note) => `- ${note}`),
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`;
}

function trialTable({ rows }: TrialsDiff): string[] {
  if (rows.length === 0) return [];
  const folded = foldedRows(rows);
  const lines = folded.slice(0, mostRows).map((each) => {
    if ('hidden' in each) return `| | … ${counted(each.hidden, 'step')} that are the same | |`;
    const { status, a, b } = each.row;
    return `| ${inline(statusMarks[status])} | ${a ? inline(stepText(a)) : ''} | ${b ? inline(stepText(b)) : ''} |`;
  });
  return ['| | A | B |', '|---|---|---|', ...lines, ...moreThan(folded.length)];
}

function usualTable({ rows, a, b }: RepeatsDiff): string[] {
  if (rows.length === 0) return [];
  const folded = foldedRows(rows);
  const lines = folded.slice(0, mostRows).map((each) => {
    if ('hidden' in each) return `| | | | … ${counted(each.hidden, 'step')} that are the same |`;
    const { row } = each;
    return `| ${inline(statusMarks[row.status])} | ${shareText(row.a, a)} | ${shareText(row.b, b)} | ${inline(usualStepText(row))} |`;
  });
  return ['| | A | B | step, in the usual order |', '|---|---|---|---|', ...lines, ...moreThan(folded.length)];
}

function moreThan(rows: number): string[] {
  return rows > mostRows ? ['', `… and ${counted(rows - mostRows, 'more row')}.`] : [];
}
