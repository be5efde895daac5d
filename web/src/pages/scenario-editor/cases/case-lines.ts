import { isRecord } from '../../../../../src/shared/json.ts';

/** A case of a JSON Lines text, and where it stands. */
export interface CaseLine {
  /** From 1. */
  readonly line: number;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Something wrong in a line; nothing is imported then. */
export interface LineProblem {
  readonly line: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** Reads cases, one JSON object in each line; blank lines are skipped. */
export function readCaseLines(text: string): { readonly cases: CaseLine[]; readonly problems: LineProblem[] } {
  const cases: CaseLine[] = [];
  const problems: LineProblem[] = [];
  for (const [index, source] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (source.trim() === '') continue;
    const line = index + 1;
    const read = readLine(source);
    if (typeof read === 'string') problems.push({ line, message: read, severity: 'error' });
    else cases.push({ line, value: read });
  }
  return { cases, problems };
}

/** The object of a line, or what is wrong with it. */
function readLine(source: string): Readonly<Record<string, unknown>> | string {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    return `not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!isRecord(value)) return 'a case must be a JSON object';
  const withoutTexts = source.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  if ((withoutTexts.match(/:/g) ?? []).length !== countKeys(value)) return 'a key stands there twice';
  const number = withoutTexts.match(/-?\d[\d.eE+-]*/g)?.find((token) => !isKept(token));
  return number === undefined ? value : `${number} has more digits than a number can keep; write it as text`;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts: readonly unknown[] = Object.values(value);
  return parts.reduce<number>((sum, part) => sum + countKeys(part), Array.isArray(value) ? 0 : parts.length);
}

function isKept(token: string): boolean {
  const number = Number(token);
  return Number.isFinite(number) && (!/^-?\d+$/.test(token) || Number.isSafeInteger(number));
}

/** Cases as JSON Lines with every field; throws for a value that JSON cannot hold. */
export function caseLines(cases: readonly unknown[]): string {
  return cases
    .map((value, index) => {
      const number = unkeepableNumber(value);
      if (number === undefined) return `${JSON.stringify(value)}\n`;
      throw new RangeError(`Case ${index + 1} has the number ${number}, which JSON would not keep. Write it as text.`);
    })
    .join('');
}

function unkeepableNumber(value: unknown): number | undefined {
  if (typeof value === 'number') {
    const isKeepable = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    return isKeepable ? undefined : value;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const part of Object.values(value)) {
    const found = unkeepableNumber(part);
    if (found !== undefined) return found;
  }
  return undefined;
}
