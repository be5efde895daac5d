import { markCountsText } from '../../domain/marks.ts';
import {
  type Block,
  firstOf,
  type Item,
  list,
  type Section,
  type Tone,
  table,
  text,
} from '../../shared/blocks/block.ts';
import { counted } from '../../shared/format.ts';
import { oneLine } from '../../shared/text.ts';
import type { Step } from '../compare/trajectory/steps.ts';
import type { DiffedSide, DiffedTrial, RepeatsDiff, TrialsDiff } from '../compare/trajectory/trajectory-comparison.ts';
import { type RowStatus, rowStatuses } from '../compare/trajectory/trajectory-diff.ts';
import type { StepCounts, UsualStepRow } from '../compare/trajectory/usual-steps.ts';
import { trialTitle } from './trial-text.ts';

/** One line of a unified diff, and what it says. */
export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'place' | 'same';
  readonly text: string;
}

/** The lines of a unified diff without the names of the files, which stand above it. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return lines.slice(Math.max(first, 0)).map((text) => ({ kind: kindOf(text), text }));
}

function kindOf(line: string): DiffLine['kind'] {
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}

/** A comparison of trajectories, of either kind. */
export type Diff = TrialsDiff | RepeatsDiff;

/** The mark of each status at the beginning of a line. */
export const statusMarks: Readonly<Record<RowStatus, string>> = {
  same: ' ',
  changed: '~',
  added: '+',
  dropped: '-',
  'failed-now': '✗',
  mended: '✓',
};

const statusWords: Readonly<Record<RowStatus, string>> = {
  same: 'the same',
  changed: 'changed',
  added: 'added',
  dropped: 'dropped',
  'failed-now': 'failed now',
  mended: 'mended',
};

/** A legend of the marks that occur. */
function legendText({ counts }: Diff): string {
  const used = rowStatuses.filter((status) => status !== 'same' && counts[status] > 0);
  return used.map((status) => `${statusMarks[status]} ${statusWords[status]}`).join('   ');
}

/** `2 added, 1 dropped, 5 the same`. */
export function countsText({ counts, rows }: Diff): string {
  if (rows.length === 0) return 'There are no steps to compare.';
  if (counts.same === rows.length)
    return rows.length === 1 ? 'The only step is the same.' : `All ${counted(rows.length, 'step')} are the same.`;
  const order: readonly RowStatus[] = ['failed-now', 'mended', 'added', 'dropped', 'changed', 'same'];
  const parts = order
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${statusWords[status]}`);
  return `${counted(rows.length, 'step')}: ${parts.join(', ')}`;
}

/** A trial and how it ended. */
function trialLine(trial: DiffedTrial): string {
  return `${trial.trialId}: ${trial.outcome}, ${counted(trial.steps, 'step')}, ${trialTitle(trial)}`;
}

/** Why a trial did not pass, and its answer where the other trial has another one: equal steps may end differently. */
function endLines({ outcome, reason, answer }: DiffedTrial, other: DiffedTrial): string[] {
  const why = outcome === 'pass' ? [] : [oneLine(reason)];
  return answer === other.answer ? why : [...why, `answer: ${answer === undefined ? 'none' : oneLine(answer)}`];
}

/** The trials of a side and how many of them passed. */
function sideLine({ label, runId, trials, passed, marks }: DiffedSide): string {
  const run = label === runId ? '' : `, run ${runId}`;
  return `${label}: ${counted(trials, 'trial')}, ${passed} passed${markCountsText(marks)}${run}`;
}

/** A step with why it failed. */
function stepText({ label, state, detail }: Step): string {
  if (state !== 'failed') return label;
  return `${label} ← ${detail === '' ? 'failed' : detail}`;
}

/** A step of repeats, numbered where it is not the first of its kind. */
function usualStepText({ label, time }: UsualStepRow): string {
  return time === 1 ? label : `${label} (time ${time})`;
}

/** `3/5`, or `3/5, 2 failed`; a dash where no trial has it. */
function shareText({ trials, failed }: StepCounts, side: DiffedSide): string {
  if (trials === 0) return '-';
  return `${trials}/${side.trials}${failed > 0 ? `, ${failed} failed` : ''}`;
}

/** A row, or how many rows that are the same on both sides are left out. */
export type Folded<Row> = { readonly row: Row } | { readonly hidden: number };

/** Rows that are the same and stand next to a change stay visible; shorter runs than this need no folding. */
const neighbours = 2;
const shortestFold = 3;

/** The rows around what differs; long runs of the same are left out in between. */
export function foldedRows<Row extends { readonly status: RowStatus }>(rows: readonly Row[]): Folded<Row>[] {
  const isVisible = new Uint8Array(rows.length);
  for (const [index, { status }] of rows.entries()) {
    if (status !== 'same') isVisible.fill(1, Math.max(0, index - neighbours), index + neighbours + 1);
  }
  const folded: Folded<Row>[] = [];
  for (let index = 0; index < rows.length; ) {
    let end = index;
    while (end < rows.length && isVisible[end] === 0) end++;
    const hidden = end - index;
    if (hidden >= shortestFold) {
      folded.push({ hidden });
      index = end;
    } else {
      const stop = Math.max(end, index + 1);
      for (const row of rows.slice(index, stop)) folded.push({ row });
      index = stop;
    }
  }
  return folded;
}

const mostRows = 400;

interface DiffRoom {
  /** Whether the steps of both sides stand beside each other. */
  readonly isBeside: boolean;
  /** Whether equal steps are listed in full. */
  readonly showsAll: boolean;
}

const statusTones: Readonly<Partial<Record<RowStatus, Tone>>> = {
  added: 'good',
  mended: 'good',
  dropped: 'unsure',
  changed: 'strong',
  'failed-now': 'bad',
};

/** The steps of two trials or of the repeats of two sides: what differs, with the equal steps around it. */
export function diffSections(diff: Diff, room: DiffRoom): Section[] {
  const items = sideItems(diff).map((item, index) => ({ name: 'AB'.charAt(index), ...item, isOneLine: true }));
  const steps = diff.kind === 'trials' ? trialSteps(diff, room) : usualSteps(diff, room);
  const legend = legendText(diff);
  return [
    { title: countsText(diff), level: 1, blocks: [list(items)] },
    { blocks: steps },
    { blocks: legend === '' ? [] : [text(legend)] },
    { blocks: [list(diff.notes)] },
  ];
}

function sideItems(diff: Diff): Item[] {
  if (diff.kind === 'repeats') return [diff.a, diff.b].map((side) => ({ words: sideLine(side) }));
  const { a, b } = diff;
  return [
    { words: trialLine(a), below: endLines(a, b) },
    { words: trialLine(b), below: endLines(b, a) },
  ];
}

function trialSteps({ rows }: TrialsDiff, room: DiffRoom): Block[] {
  const heads = ['', ...(room.isBeside ? ['A', 'B'] : ['step'])];
  return stepTable(heads, [false, true, true], rows, room, ({ status, a, b }) => {
    const [before, after] = [a ? stepText(a) : '', b ? stepText(b) : ''];
    if (room.isBeside) return [[before, after]];
    // One line for equal steps; A above B where they differ.
    return a && b && status !== 'same' ? [[`A ${before}`], [`B ${after}`]] : [[b ? after : before]];
  });
}

function usualSteps({ rows, a, b }: RepeatsDiff, room: DiffRoom): Block[] {
  const heads = ['', 'A', 'B', 'step, in the usual order'];
  return stepTable(heads, [false, false, false, true], rows, room, (row) => [
    [shareText(row.a, a), shareText(row.b, b), usualStepText(row)],
  ]);
}

/** The rows around what differs, each with its mark. */
function stepTable<Row extends { readonly status: RowStatus }>(
  heads: readonly string[],
  isCut: readonly boolean[],
  rows: readonly Row[],
  { showsAll }: DiffRoom,
  cellsOf: (row: Row) => readonly (readonly string[])[],
): Block[] {
  const folded: Folded<Row>[] = showsAll ? rows.map((row) => ({ row })) : foldedRows(rows);
  const most = showsAll ? Number.POSITIVE_INFINITY : mostRows;
  const { listed, more } = firstOf(folded, most, (hidden) => `${counted(hidden, 'more row')}; --all shows them`);
  const lines = listed.flatMap((each) => {
    if ('hidden' in each) {
      const same = `… ${counted(each.hidden, 'step')} that are the same`;
      return [{ cells: isCut.map((may, index) => (may && isCut.indexOf(true) === index ? same : '')) }];
    }
    const { status } = each.row;
    return cellsOf(each.row).map((cells) => ({ cells: [statusMarks[status], ...cells], tone: statusTones[status] }));
  });
  const { columns, ...steps } = table(heads, lines);
  const cutColumns = columns.map((column, index) => ({ ...column, isCut: isCut[index] ?? false }));
  return [{ ...steps, columns: cutColumns }, ...more.map((words) => text(words))];
}
