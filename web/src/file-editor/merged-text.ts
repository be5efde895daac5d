import { diffArrays } from 'diff';

/** Lines of the common text that one side replaced. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** Both sides' changes of one text; undefined where they changed the same lines, or lines beside each other, differently. */
export function mergedText(base: string, mine: string, theirs: string): string | undefined {
  const lines = base.split('\n');
  const ours = editsOf(lines, mine.split('\n'));
  const others = editsOf(lines, theirs.split('\n')).filter((edit) => !ours.some((own) => isSame(own, edit)));
  if (ours.some((own) => others.some((other) => own.from <= other.to && other.from <= own.to))) return undefined;
  const edits = [...ours, ...others].sort((a, b) => a.from - b.from);
  let end = 0;
  const merged = edits.flatMap(({ from, to, lines: written }) => {
    const kept = lines.slice(end, from);
    end = to;
    return [...kept, ...written];
  });
  return [...merged, ...lines.slice(end)].join('\n');
}

function editsOf(base: readonly string[], text: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let place = 0;
  for (const { added, removed, value } of diffArrays([...base], [...text])) {
    const last = edits.at(-1);
    const isNext = last?.to === place;
    const written = added ? value : [];
    const to = place + (added ? 0 : value.length);
    if ((added || removed) && last && isNext)
      edits.splice(-1, 1, { from: last.from, to, lines: [...last.lines, ...written] });
    else if (added || removed) edits.push({ from: place, to, lines: written });
    place = to;
  }
  return edits;
}

function isSame(a: Edit, b: Edit): boolean {
  return a.from === b.from && a.to === b.to && a.lines.join('\n') === b.lines.join('\n');
}
