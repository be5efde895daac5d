import type { ToolError } from '../../../domain/tool-error.ts';
import { isRecord } from '../../../shared/json.ts';

/** The first message to a worker: what it is for. */
export interface WorkerSetup {
  readonly file: string;
  readonly exportName: string;
  /** An expression or the body of a function, in place of the file. */
  readonly code?: string | undefined;
  /** Fields of the input that are the arguments; without them the input is the only one. */
  readonly parameters?: readonly string[] | undefined;
  /** Shared memory of a `TurnGate`. */
  readonly gate: SharedArrayBuffer;
}

/**
 * To the worker, several at a time. Inputs and results travel as JSON text: what cannot be JSON is noticed where it
 * was made.
 */
export type CallRequest =
  | { readonly kind: 'call'; readonly sequence: number; readonly input: string }
  | { readonly kind: 'abort'; readonly sequence: number };

/** The output of a call, by channel. */
export interface PrintedText {
  readonly channel: 'stdout' | 'stderr';
  readonly text: string;
  readonly truncatedBytes: number;
}

/** The reason why a returned value is not an answer. */
interface UnusableResult {
  readonly code: 'TARGET_OUTPUT_NOT_JSON' | 'TARGET_OUTPUT_TOO_LARGE';
  readonly reason: string;
}

/** How a call ended: with a value as JSON text, with a value that is not an answer, or by throwing. */
export interface CallAnswer {
  readonly kind: 'answer';
  readonly sequence: number;
  readonly durationMs: number;
  readonly printed: readonly PrintedText[];
  readonly result?: string | undefined;
  readonly unusable?: UnusableResult;
  readonly thrown?: string;
}

/** From the worker. */
export type WorkerMessage =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'load-failed'; readonly message: string }
  | { readonly kind: 'stop-heard'; readonly sequence: number }
  | CallAnswer;

/** A thrown value as JSON text of a tool error: its own JSON fields, such as a code, beside its name and message. */
export function encodeThrown(thrown: unknown): string {
  const message = messageOf(thrown);
  const name = thrown instanceof Error ? { name: String(thrown.name) } : {};
  try {
    return JSON.stringify({ ...name, ...(isRecord(thrown) ? thrown : {}), message } satisfies ToolError);
  } catch {
    return JSON.stringify({ ...name, message } satisfies ToolError);
  }
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return textOf(isRecord(thrown) && 'message' in thrown ? thrown.message : thrown);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return 'a value that is not JSON';
  }
}

/** Characters of JSON that a returned value may have. */
const resultLimit = 10_000_000;

/** A returned value as JSON text; a function that returns nothing has answered without a result. */
export function encodeResult(value: unknown): Pick<CallAnswer, 'result' | 'unusable'> {
  if (value === undefined) return { result: undefined };
  try {
    const result = JSON.stringify(value) as string | undefined;
    if (result === undefined) return notJson(`a ${typeof value}`);
    if (result.length <= resultLimit) return { result };
    return { unusable: { code: 'TARGET_OUTPUT_TOO_LARGE', reason: `more than ${resultLimit / 1e6} MB of JSON` } };
  } catch (error) {
    return notJson(messageOf(error));
  }
}

function notJson(what: string): Pick<CallAnswer, 'unusable'> {
  return { unusable: { code: 'TARGET_OUTPUT_NOT_JSON', reason: `a value that is not JSON: ${what}` } };
}
