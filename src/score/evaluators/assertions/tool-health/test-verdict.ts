import { AssayError } from '../../../../domain/errors.ts';
import type { ToolError } from '../../../../domain/tool-error.ts';
import type { ResultDifference } from '../../../../domain/tools/tool-meaning.ts';
import type { TraceEventOf } from '../../../../domain/trace.ts';
import { showJson } from '../../../../shared/exact-json.ts';
import { counted, grouped } from '../../../../shared/format.ts';
import { shortened } from '../../excerpt.ts';

/** Verdict on one test. */
export interface Judged {
  readonly state: 'pass' | 'fail';
  readonly details: string;
  /** The server's error, where it gave no result. */
  readonly error?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export function pass(details: string): Judged {
  return { state: 'pass', details };
}

export function fail(details: string, more: Pick<Judged, 'error' | 'metadata'> = {}): Judged {
  return { state: 'fail', details, ...more };
}

/** For a test of which an answer is missing: it cannot be known how the server answered. */
export function refuseUnanswered(): never {
  throw new AssayError('NOT_OBSERVED', 'No answer is on record.');
}

/** A value for people: as JSON on one line, its head and tail where it is long. */
export function jsonText(value: unknown): string {
  return value === undefined ? 'nothing' : shortened(showJson(value));
}

/** `12 ms`, or `12 ms, 3 attempts in 340 ms`. */
export function timeOf({ latencyMs, totalMs, attempts }: TraceEventOf<'mcp-test'>): string {
  const own = inMs(latencyMs);
  return attempts > 1 ? `${own}, ${counted(attempts, 'attempt')} in ${inMs(totalMs)}` : own;
}

export function inMs(ms: number): string {
  return `${grouped(ms < 10 ? Math.round(ms * 100) / 100 : Math.round(ms))} ms`;
}

/** A result that is not what was expected, with the place where it is not. */
export function mismatch(difference: ResultDifference, time: string): Judged {
  const { path, rule, expected, actual } = difference;
  const where = { path, rule, expected: jsonText(expected), actual: jsonText(actual) };
  return fail(`${inWords(difference)} (${time})`, { metadata: { difference: where } });
}

export function inWords({ path, rule, expected, actual }: ResultDifference): string {
  switch (rule) {
    case 'contains':
      return `Expected a result that contains ${jsonText(expected)}, got ${jsonText(actual)}`;
    case 'missing':
      return `${path} is missing, expected ${jsonText(expected)}`;
    case 'unexpected':
      return `${path} was not expected, and is ${jsonText(actual)}`;
    case 'length':
      return `${path} has ${counted(Number(actual), 'item')}, expected ${expected}`;
    case 'value':
      return path === '$'
        ? `Expected ${jsonText(expected)}, got ${jsonText(actual)}`
        : `${path}: expected ${jsonText(expected)}, got ${jsonText(actual)}`;
  }
}

/** `error -32602: no such tool`, or what a tool said. */
export function errorInWords({ message, code }: ToolError): string {
  return shortened(typeof code === 'number' ? `${message} (error ${code})` : message);
}
