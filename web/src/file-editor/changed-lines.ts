const context = 3;

/** Two texts as a diff with one place: everything between the first and the last line that differ. */
export function changedLines(before: string, after: string): string {
  const old = before.split('\n');
  const now = after.split('\n');
  const start = commonStart(old, now);
  const end = commonStart(old.slice(start).reverse(), now.slice(start).reverse());
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const first = Math.max(start - context, 0);
  return [
    `@@ -${first + 1} +${first + 1} @@`,
    ...old.slice(first, start).map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...old.slice(old.length - end, old.length - end + context).map((line) => ` ${line}`),
  ].join('\n');
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((line, index) => line !== b[index]);
  return differs < 0 ? Math.min(a.length, b.length) : differs;
}
