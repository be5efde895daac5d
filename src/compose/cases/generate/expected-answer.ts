import { meaningOfResult, textOfResult } from '../../../domain/tools/tool-meaning.ts';
import { jsonEquals } from '../../../shared/exact-json.ts';
import { isRecord } from '../../../shared/json.ts';
import type { Arguments } from './generated-case.ts';

/** How a program that was called ended, as criteria see it. */
export interface CallEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Long enough to be no accident. */
const tellingLength = 8;
const longestText = 80;
const mostFields = 5;

/** The end of a program that is expected again. */
export interface ExpectedEnd {
  readonly criteria: readonly string[];
  /** A text that it printed. */
  readonly text: string;
}

/**
 * The criteria of a call by two calls of it: they expect what both did. Undefined where they agree on nothing, or the
 * tool does not do what the case is about. `hides`: texts that a file must not have.
 */
export function expectedEnd(
  isRefused: boolean,
  [first, second]: readonly [CallEnd, CallEnd],
  hides: (text: string) => boolean,
): ExpectedEnd | undefined {
  if (first.exitCode !== second.exitCode || first.exitCode === null) return undefined;
  if (isRefused !== (first.exitCode !== 0)) return undefined;
  const channel = first.stdout.trim() === '' ? 'stderr' : 'stdout';
  const text = tellingText(linesOf(first[channel]), linesOf(second[channel]), hides);
  if (text === undefined) return undefined;
  const criteria = [`result.exitCode === ${first.exitCode}`, `result.${channel}.includes(${JSON.stringify(text)})`];
  return { criteria, text };
}

/**
 * The expectations of a test of an MCP tool by two results of a call: what both have, first what is not among the
 * arguments. Empty where they agree on nothing.
 */
export function expectedResult(
  args: Arguments,
  [first, second]: readonly [unknown, unknown],
  hides: (text: string) => boolean,
): Readonly<Record<string, unknown>> {
  const meanings = [meaningOfResult(first), meaningOfResult(second)] as const;
  if (isRecord(meanings[0]) && isRecord(meanings[1])) {
    const [a, b] = meanings;
    const isSame = (key: string, value: unknown): boolean => isTelling(value, hides) && jsonEquals(value, b[key]);
    const same = Object.entries(a).filter(([key, value]) => isSame(key, value));
    const isGiven = ([key, value]: readonly [string, unknown]): number => Number(jsonEquals(value, args[key]));
    const named = same.toSorted((one, other) => isGiven(one) - isGiven(other)).slice(0, mostFields);
    if (named.length > 0) return { expectedResult: Object.fromEntries(named), match: 'subset' };
  }
  const text = tellingText(textsOf(first), textsOf(second), hides);
  return text === undefined ? {} : { expectedResult: text };
}

function isTelling(value: unknown, hides: (text: string) => boolean): boolean {
  const text = JSON.stringify(value) ?? '';
  return text.length > 2 && text.length <= longestText && isPrintable(text) && !hides(text);
}

/** Texts inside of the data of a result, or else its lines. */
function textsOf(result: unknown): string[] {
  const meaning = meaningOfResult(result);
  if (typeof meaning !== 'object' || meaning === null) return linesOf(textOfResult(result) ?? '');
  const texts: string[] = [];
  const waiting: unknown[] = [meaning];
  while (waiting.length > 0) {
    const part = waiting.shift();
    if (typeof part === 'string') texts.push(...linesOf(part));
    else if (typeof part === 'object' && part !== null) waiting.push(...Object.values(part));
  }
  return texts;
}

/** The first long text of both, or else the first. */
function tellingText(
  first: readonly string[],
  second: readonly string[],
  hides: (text: string) => boolean,
): string | undefined {
  const again = new Set(second);
  const texts = first.filter((text) => again.has(text) && !hides(text));
  return (texts.find((text) => text.length >= tellingLength) ?? texts[0])?.slice(0, longestText);
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && isPrintable(line));
}

function isPrintable(text: string): boolean {
  return !/[\u0000-\u001f\u007f-\u009f]/.test(text);
}
