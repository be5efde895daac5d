import { mostLevels } from '../nesting.ts';

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
    const character = text[at];
    if (character === '"') at = closingQuote(text, at);
    else if (character === ':') keyCount++;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++level);
    else if (character === '}' || character === ']') level--;
  }
  return { keyCount, isTooDeep: deepest > mostLevels };
}

/** How many keys all objects of a value have together: fewer than its text has when one is written twice. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  const own = Array.isArray(value) ? 0 : parts.length;
  return parts.reduce<number>((total, part) => total + countKeys(part), own);
}

function closingQuote(text: string, opening: number): number {
  let at = text.indexOf('"', opening + 1);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}
