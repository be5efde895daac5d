import { compileTextPattern, type TextPattern, UnusablePattern } from './patterns.ts';

/** The number of code points in a text. */
export function codePointCount(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/** A pattern of `match` or `search`; undefined for one that cannot be used, which matches nothing. */
export function compileFilterPattern(pattern: string): TextPattern | undefined {
  try {
    return compileTextPattern(dotsWithoutLineEnds(pattern));
  } catch (error) {
    if (error instanceof UnusablePattern) return undefined;
    throw error;
  }
}

/** In I-Regexp a dot stands for neither of the two line ends. */
function dotsWithoutLineEnds(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (part) => (part === '.' ? '[^\\n\\r]' : part));
}

/** Order by code points: that of UTF-16 units would put an emoji before the last of the basic plane. */
export function comesBefore(left: string, right: string): boolean {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  if (at >= left.length || at >= right.length) return left.length < right.length;
  return rank(left.charCodeAt(at)) < rank(right.charCodeAt(at));
}

function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}
