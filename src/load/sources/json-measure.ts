import { mostLevels } from './refused-data.ts';

const quote = 0x22;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Whether a value may not be all of its valid JSON text, or may not be used; a quick check that never misses one. */
export function isSuspicious(text: string, value: unknown): boolean {
  const { keyCount, levels } = measureJson(text);
  return levels > mostLevels || keyCount !== countKeys(value);
}

/**
 * Number of keys of all objects in a value: fewer than in its text when a key is duplicated, and infinite
 * when one of its numbers is infinite.
 */
function countKeys(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.POSITIVE_INFINITY;
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  let count = Array.isArray(value) ? 0 : parts.length;
  for (const part of parts) count += countKeys(part);
  return count;
}

/** Facts about a JSON text that its value does not show. */
interface JsonMeasure {
  /** Of all objects; a duplicated key counts twice. */
  readonly keyCount: number;
  readonly levels: number;
}

/** Counts the keys and levels of valid JSON text without making values of it. */
export function measureJson(text: string): JsonMeasure {
  let keyCount = 0;
  let level = 0;
  let levels = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = closingQuote(text, at + 1);
      at = end === -1 ? text.length : end;
    } else if (code === colon) keyCount++;
    else if (code === openBrace || code === openBracket) levels = Math.max(levels, ++level);
    else if (code === closeBrace || code === closeBracket) level--;
  }
  return { keyCount, levels };
}

/** Where the string ends that goes on at `from`; -1 when it does not end in this text. */
export function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}
