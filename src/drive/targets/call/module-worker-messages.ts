/** The first message to a worker: what it is for. */
export interface WorkerSetup {
  readonly file: string;
  readonly exportName: string;
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

/** What a call printed, by channel. */
export interface PrintedText {
  readonly channel: 'stdout' | 'stderr';
  readonly text: string;
  readonly truncatedBytes: number;
}

/** Why a returned value is no answer. */
export interface UnusableResult {
  readonly code: 'TARGET_OUTPUT_NOT_JSON' | 'TARGET_OUTPUT_TOO_LARGE';
  readonly reason: string;
}

/** How a call ended: with a value as JSON text, with a value that is no answer, or by throwing. */
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
