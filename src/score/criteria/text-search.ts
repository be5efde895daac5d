import { type Run, spendScan, spendSteps } from './budget.ts';

const nativeSearchLimit = 1_000_000;

/** Finds a text in another from an offset, as `indexOf` does, in time that is linear even for hostile pairs. */
export function findText(text: string, needle: string, from: number, run: Run): number {
  spendScan(run, Math.max(0, text.length - from));
  if ((text.length - from) * needle.length <= nativeSearchLimit) return text.indexOf(needle, from);
  return findLongText(text, needle, from, run);
}

/** The search of Knuth, Morris and Pratt. */
function findLongText(text: string, needle: string, from: number, run: Run): number {
  spendSteps(run, (text.length - from + needle.length) >> 5);
  const borders = borderLengths(needle);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === code) matched += 1;
    if (matched === needle.length) return at - matched + 1;
  }
  return -1;
}

function borderLengths(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at++) {
    while (length > 0 && needle.charCodeAt(at) !== needle.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (needle.charCodeAt(at) === needle.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}

/** Finds the last occurrence, as `lastIndexOf` does; it pays for the worst case, which is quadratic. */
export function findLastText(text: string, needle: string, from: number, run: Run): number {
  spendSteps(run, 1 + (text.length * (8 + needle.length)) / 512);
  return text.lastIndexOf(needle, from);
}
