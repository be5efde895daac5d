import { structuredPatch } from 'diff';

const contextLines = 3;

/** Two texts as a unified diff: lines of only the first with `-`, lines of only the second with `+`. */
export function changedLines(before: string, after: string): string {
  // With a line end behind both, the last line is a line like all others.
  const patch = structuredPatch('', '', `${before}\n`, `${after}\n`, '', '', { context: contextLines });
  return patch.hunks.flatMap(({ oldStart, lines }) => [`@@ line ${oldStart} @@`, ...lines]).join('\n');
}
