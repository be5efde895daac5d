import { createColors } from 'picocolors';
import { counted } from '../../../shared/format.ts';
import { printable, shorten } from '../../../shared/text.ts';
import type { RepeatsDiff, TrialsDiff } from '../../compare/trajectory/trajectory-comparison.ts';
import type { RowStatus, TrajectoryRow } from '../../compare/trajectory/trajectory-diff.ts';
import type { UsualStepRow } from '../../compare/trajectory/usual-steps.ts';
import {
  countsText,
  type Diff,
  type Folded,
  foldedRows,
  legendText,
  shareText,
  sideLine,
  statusMarks,
  stepText,
  trialLine,
  usualStepText,
} from '../../presentation/diff-text.ts';
import { layoutOf } from '../table-layout.ts';

export interface DiffStyle {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /** Whether equal steps are listed in full. */
  readonly showsAll: boolean;
}

/** From this width on, both sides fit beside each other. */
const sideBySideWidth = 100;
const mostRows = 400;
const narrowest = 40;

type Paint = (text: string, status: RowStatus) => string;

/** A comparison of trajectories for a terminal: side by side where it is wide enough. */
export function diffText(diff: Diff, style: DiffStyle): string {
  const width = Math.max(narrowest, style.width);
  const paint = painter(style.color);
  const head = diff.kind === 'trials' ? [diff.a, diff.b].map(trialLine) : [diff.a, diff.b].map(sideLine);
  const lines =
    diff.kind === 'trials' ? trialRows(diff, { ...style, width }, paint) : usualRows(diff, { ...style, width }, paint);
  const parts = [
    head.map((line, index) => shorten(`${'AB'.charAt(index)}  ${printable(line)}`, width)),
    [countsText(diff)],
    lines,
    [legendText(diff)].filter((legend) => legend !== ''),
    diff.notes.flatMap((note) => layoutOf({ width }).wrapped(note, '  ', '- ')),
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`;
}

function painter(color: boolean): Paint {
  const { green, red, yellow, cyan } = createColors(color);
  const paints: Partial<Record<RowStatus, (text: string) => string>> = {
    added: green,
    mended: green,
    dropped: yellow,
    changed: cyan,
    'failed-now': red,
  };
  return (text, status) => paints[status]?.(text) ?? text;
}

function trialRows({ rows }: TrialsDiff, { width, showsAll }: DiffStyle, paint: Paint): string[] {
  const isWide = width >= sideBySideWidth;
  return listed(rows, showsAll, (row) => {
    const lines = isWide ? [besideEachOther(row, width)] : stacked(row, width);
    return lines.map((line) => paint(line, row.status));
  });
}

function besideEachOther({ status, a, b }: TrajectoryRow, width: number): string {
  const half = Math.floor((width - 5) / 2);
  const left = shorten(a ? stepText(a) : '', half).padEnd(half);
  return `${statusMarks[status]} ${left} │ ${shorten(b ? stepText(b) : '', half)}`.trimEnd();
}

/** One line for equal steps; A above B where they differ. */
function stacked({ status, a, b }: TrajectoryRow, width: number): string[] {
  const mark = statusMarks[status];
  const line = (text: string): string => shorten(text, width);
  if (a && b && status !== 'same') return [line(`${mark} A ${stepText(a)}`), line(`${mark} B ${stepText(b)}`)];
  const [step] = [b ?? a].filter((each) => each !== undefined);
  return step ? [line(`${mark}   ${stepText(step)}`)] : [];
}

function usualRows(diff: RepeatsDiff, { width, showsAll }: DiffStyle, paint: Paint): string[] {
  const { rows, a, b } = diff;
  if (rows.length === 0) return [];
  const cells = (row: UsualStepRow): [string, string] => [shareText(row.a, a), shareText(row.b, b)];
  const widest = (index: 0 | 1): number => rows.reduce((most, row) => Math.max(most, cells(row)[index].length), 1);
  const [widthA, widthB] = [widest(0), widest(1)];
  const nameWidth = Math.max(16, width - widthA - widthB - 6);
  const head = `  ${'A'.padEnd(widthA)}  ${'B'.padEnd(widthB)}  step, in the usual order`;
  const lines = listed(rows, showsAll, (row) => {
    const [ofA, ofB] = cells(row);
    const name = shorten(usualStepText(row), nameWidth);
    return [paint(`${statusMarks[row.status]} ${ofA.padEnd(widthA)}  ${ofB.padEnd(widthB)}  ${name}`, row.status)];
  });
  return [head, ...lines];
}

function listed<Row extends { readonly status: RowStatus }>(
  rows: readonly Row[],
  showsAll: boolean,
  linesOf: (row: Row) => string[],
): string[] {
  const all: Folded<Row>[] = showsAll ? rows.map((row) => ({ row })) : foldedRows(rows);
  const visible = showsAll ? all : all.slice(0, mostRows);
  const lines = visible.flatMap((each) =>
    'row' in each ? linesOf(each.row) : [`  … ${counted(each.hidden, 'step')} that are the same`],
  );
  const more = all.length - visible.length;
  return more > 0 ? [...lines, `  … and ${counted(more, 'more row')}; --all shows them`] : lines;
}
