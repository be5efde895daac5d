import type { Text } from '@codemirror/state';
import type { Position } from '../documents/read-document.ts';

/** The one place in which two texts differ, as an editor takes it: what is around it keeps its cursors. */
export function smallestChange(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from++;
  let end = 0;
  while (end < most - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/** The place of a position that may lie behind the end of its line or of the text. */
export function offsetIn(document: Text, { line, column }: Position): number {
  const found = document.line(Math.min(Math.max(line, 1), document.lines));
  return Math.min(found.from + Math.max(column - 1, 0), found.to);
}
