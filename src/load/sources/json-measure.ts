import type { DataPath } from './parsed-source.ts';
import { mostLevels } from './refused-data.ts';

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
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

/** Where the value at a path of valid JSON text begins, or the nearest existing value around it. */
export function offsetInJson(text: string, path: DataPath): number {
  let at = nextToken(text, 0);
  for (const step of path) {
    const inside =
      text[at] === '{' ? memberAt(text, at, step) : text[at] === '[' ? elementAt(text, at, step) : undefined;
    if (inside === undefined) return at;
    at = inside;
  }
  return at;
}

function memberAt(text: string, object: number, wanted: PropertyKey): number | undefined {
  let at = nextToken(text, object + 1);
  while (text[at] === '"') {
    const keyEnd = closingQuote(text, at + 1) + 1;
    const value = nextToken(text, nextToken(text, keyEnd) + 1);
    if (JSON.parse(text.slice(at, keyEnd)) === String(wanted)) return value;
    at = afterComma(text, value);
  }
  return undefined;
}

function elementAt(text: string, list: number, wanted: PropertyKey): number | undefined {
  let at = nextToken(text, list + 1);
  for (let index = 0; at < text.length && text[at] !== ']'; index++) {
    if (index === wanted) return at;
    at = afterComma(text, at);
  }
  return undefined;
}

/** The next element or member after the value at an offset; the closing bracket after the last. */
function afterComma(text: string, value: number): number {
  let level = 0;
  for (let at = value; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = closingQuote(text, at + 1);
    else if (code === openBrace || code === openBracket) level++;
    else if (code === closeBrace || code === closeBracket) {
      if (level-- === 0) return at;
    } else if (code === comma && level === 0) return nextToken(text, at + 1);
  }
  return text.length;
}

function nextToken(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= space) at++;
  return at;
}
