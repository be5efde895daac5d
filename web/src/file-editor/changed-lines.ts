const context = 3;
/** Beyond this the lines between the first and the last difference are not compared with each other. */
const mostComparisons = 4_000_000;

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Two texts as a unified diff: what only the first has with `-`, what only the second has with `+`. */
export function changedLines(before: string, after: string): string {
  const old = before.split('\n');
  const now = after.split('\n');
  const start = commonStart(old, now);
  const end = commonStart(old.slice(start).reverse(), now.slice(start).reverse());
  const lines = [
    ...same(old.slice(0, start)),
    ...compared(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(old.slice(old.length - end)),
  ];
  return places(lines).join('\n');
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((line, index) => line !== b[index]);
  return differs < 0 ? Math.min(a.length, b.length) : differs;
}

function same(lines: readonly string[]): Line[] {
  return lines.map((text) => ({ sign: ' ', text }));
}

/** By the longest list of lines that both have in this order. */
function compared(old: readonly string[], now: readonly string[]): Line[] {
  const lengths = old.length * now.length <= mostComparisons ? commonLengths(old, now) : [];
  const lines: Line[] = [];
  let a = 0;
  let b = 0;
  while (a < old.length || b < now.length) {
    const gone = old[a];
    const come = now[b];
    if (gone !== undefined && gone === come) {
      lines.push({ sign: ' ', text: gone });
      a++;
      b++;
    } else if (
      gone !== undefined &&
      (come === undefined || lengthAt(lengths, a + 1, b) >= lengthAt(lengths, a, b + 1))
    ) {
      lines.push({ sign: '-', text: gone });
      a++;
    } else {
      lines.push({ sign: '+', text: come ?? '' });
      b++;
    }
  }
  return lines;
}

/** How many lines the rests of both texts have in common, from each pair of places on. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly Uint32Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let a = old.length - 1; a >= 0; a--) {
    const row = rows[a];
    for (let b = now.length - 1; b >= 0 && row !== undefined; b--) {
      const isSame = old[a] === now[b];
      row[b] = isSame ? lengthAt(rows, a + 1, b + 1) + 1 : Math.max(lengthAt(rows, a + 1, b), lengthAt(rows, a, b + 1));
    }
  }
  return rows;
}

function lengthAt(rows: readonly Uint32Array[], a: number, b: number): number {
  return rows[a]?.[b] ?? 0;
}

function places(lines: readonly Line[]): readonly string[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(index - context, 0), index + context + 1).some(({ sign }) => sign !== ' '),
  );
  return lines.flatMap(({ sign, text }, index) => {
    if (!isNear[index]) return [];
    if (index > 0 && isNear[index - 1]) return [sign + text];
    const line = lines.slice(0, index).filter((earlier) => earlier.sign !== '+').length + 1;
    return [`@@ line ${line} @@`, sign + text];
  });
}
