/** Characters of a terminal that take no column: combining marks, joiners, variation selectors. */
const takesNone = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/** Characters that take two columns: CJK, Hangul, full-width forms, emoji. */
const takesTwo =
  /^(?:[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation})$/u;

const isPlain = /^[\u0020-\u007E]*$/;

/** Columns that a text without control characters takes on a terminal. */
export function displayWidth(text: string): number {
  if (isPlain.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** A text of at most so many columns: a wider one is cut, and ends with `…`. */
export function fitted(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let width = 1;
  let kept = '';
  for (const character of text) {
    width += widthOf(character);
    if (width > columns) break;
    kept += character;
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`;
}

/** The same with the cut in the middle, for titles that differ at their ends. */
export function fittedInside(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const tail = Math.floor((columns - 1) / 2);
  let end = '';
  for (const character of [...text].reverse()) {
    if (displayWidth(character + end) > tail) break;
    end = character + end;
  }
  return `${fitted(text, columns - displayWidth(end))}${end}`;
}

/** A text filled with spaces to so many columns. */
export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

function widthOf(character: string): number {
  if (takesNone.test(character)) return 0;
  return takesTwo.test(character) ? 2 : 1;
}
