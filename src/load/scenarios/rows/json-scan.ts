import { mostLevels } from '../../sources/nesting.ts';

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** What a quick look at valid JSON tells that its value does not. */
interface JsonScan {
  readonly keyCount: number;
  readonly isTooDeep: boolean;
}

/** Counts the keys and levels of valid JSON text without making values of it. */
export function scanJson(text: string): JsonScan {
  let keyCount = 0;
  let level = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = closingQuote(text, at);
    else if (code === colon) keyCount++;
    else if (code === openBrace || code === openBracket) deepest = Math.max(deepest, ++level);
    else if (code === closeBrace || code === closeBracket) level--;
  }
  return { keyCount, isTooDeep: deepest > mostLevels };
}

/**
 * How many keys all objects of a value have together: fewer than its text has when one is written twice. Without end
 * when one of its numbers is.
 */
export function countKeys(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.POSITIVE_INFINITY;
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  let count = Array.isArray(value) ? 0 : parts.length;
  for (const part of parts) count += countKeys(part);
  return count;
}

function closingQuote(text: string, opening: number): number {
  let at = text.indexOf('"', opening + 1);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}
