import { isRecord } from '../../shared/json.ts';
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value if it is an object, else an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

/** The value as text: non-empty text, or a number. */
export function nameOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The value if it is a text with words: names of tools and answers are never numbers. */
export function wordsOf(value: unknown): string | undefined {
  return typeof value === 'string' ? nameOf(value) : undefined;
}

/** The value as a finite number, from a number or text. */
export function figureOf(value: unknown): number | undefined {
  const figure = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof figure === 'number' && Number.isFinite(figure) ? figure : undefined;
}

/** The first value that is a finite number of at least 0. */
export function amountOf(...values: readonly unknown[]): number | undefined {
  return values.map(figureOf).find((figure) => figure !== undefined && figure >= 0);
}

/** Milliseconds since 1970 of a time given as text, seconds, milliseconds, microseconds or nanoseconds. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value)) {
    const parsed = Date.parse(value);
    return possibleTime(parsed);
  }
  const figure = figureOf(value) ?? Number.NaN;
  if (figure < 1e11) return possibleTime(figure * 1_000);
  if (figure < 1e14) return possibleTime(figure);
  return possibleTime(figure < 1e17 ? figure / 1_000 : figure / 1e6);
}

const latestMs = Date.UTC(9999, 0);

/** The time if it lies between 1970 and 9999. */
export function possibleTime(ms: number): number | undefined {
  return ms > 0 && ms < latestMs ? ms : undefined;
}

const mostLevels = 200;

/** The value of a JSON text; undefined where it is invalid or nested too deeply. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(withWholeIntegers(text));
    return isDeeperThan(value, mostLevels) ? undefined : value;
  } catch {
    return undefined;
  }
}

const longInteger = /\d{16}/;
const textOrInteger = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d{16,}(?![\d.eE])/gs;

/** Integers that a number cannot hold become texts: ids keep their digits. */
function withWholeIntegers(text: string): string {
  if (!longInteger.test(text)) return text;
  return text.replace(textOrInteger, (token, offset: number) => {
    const isPartOfNumber = /[\d.eE+]/.test(text.charAt(offset - 1));
    return token.startsWith('"') || isPartOfNumber || Number.isSafeInteger(Number(token)) ? token : `"${token}"`;
  });
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) {
    if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  }
  return false;
}

/** Approximate length of a value as JSON, without serialising it. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 6;
  let characters = 2;
  for (const key in value) characters += key.length + 4 + charactersIn((value as Record<string, unknown>)[key]);
  return characters;
}
