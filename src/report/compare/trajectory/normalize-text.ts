import { oneLine } from '../../../shared/text.ts';

/** More of a text than this does not distinguish causes, and reading it costs time. */
const longestText = 1_000;

// Each begins where a word does, or with a letter that nothing else begins with: the time stays linear in the text.
const times = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g;
const uuid = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/;
const hash = /\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b/;
const longId = /(?<![\w-])(?=(?:[A-Za-z_-]*\d){3})(?=\d*[A-Za-z_-])[\w-]{12,}/;
/** Texts that programs make up: UUIDs, hashes and long ids. */
export const idPattern = new RegExp(`${uuid.source}|${hash.source}|${longId.source}`, 'gi');
const pathLike = /(?<![\w.@~-])(?:[A-Za-z]:|[\w.@~-]+)?(?:[\\/][\w.@%+-]+)+[\\/]?/g;
const numbers = /(?<![A-Za-z_])\d+(?:[.,]\d+)*/g;
/** JSON in quotes has quotes itself. */
const quoted = /"[[{][^\n]*[\]}…]"(?=[\s.,;:)]|$)|"(?:[^"\\]|\\.)*"|`[^`]*`|“[^”]*”|(?<!\w)'[^']*'(?!\w)/g;

/** A text in which each part that varies is one character, and those parts as they were written. */
export interface SplitText {
  readonly shape: string;
  /** In the order of the text. */
  readonly values: readonly string[];
}

/** Characters that stand for parts: of private use, so no text has them that says anything. */
const firstMark = 0xe000;
const anyMark = /[\uE000-\uF8FF]/g;

/** The normalized text, and the same with its varying parts kept apart. */
export function splitVarying(text: string): { normalized: string; words: SplitText } {
  const found: { readonly value: string; readonly mark: string }[] = [];
  const marked = replaceVarying(text.slice(0, longestText).replace(anyMark, '\uFFFD'), (value, mark) => {
    found.push({ value, mark });
    return String.fromCharCode(firstMark + found.length - 1);
  });
  const partOf = (mark: string) => found[mark.charCodeAt(0) - firstMark];
  const values = [...marked.matchAll(anyMark)].map(([mark]) => partOf(mark)?.value ?? '');
  return {
    normalized: marked.replace(anyMark, (mark) => partOf(mark)?.mark ?? ''),
    words: { shape: marked.replace(anyMark, String.fromCharCode(firstMark)), values },
  };
}

/** The words that both have in common; `…` stands for the others. */
export function commonWords(a: SplitText, b: SplitText): SplitText {
  let same = 0;
  while (same < a.shape.length && a.shape[same] === b.shape[same]) same++;
  const isWhole = same === a.shape.length && same === b.shape.length;
  return {
    shape: isWhole ? a.shape : `${a.shape.slice(0, same).replace(/…$/, '')}…`,
    values: a.values.map((value, index) => (value === b.values[index] ? value : '…')),
  };
}

/** The text again. */
export function joinWords({ shape, values }: SplitText): string {
  let next = 0;
  return shape.replace(anyMark, () => values[next++] ?? '…');
}

/** Replaces the parts that vary from trial to trial: quoted texts, times, ids, paths and numbers. */
function replaceVarying(text: string, replaced: (value: string, mark: string) => string): string {
  const by = (mark: string) => (value: string) => replaced(value, mark);
  return oneLine(text)
    .replace(quoted, by('<text>'))
    .replace(times, by('<time>'))
    .replace(idPattern, by('<id>'))
    .replace(pathLike, (path) => (share.test(path) ? path : replaced(path, '<path>')))
    .replace(numbers, by('#'));
}

/** A share such as 3/5 is not a path. */
const share = /^[\d/.]+$/;
