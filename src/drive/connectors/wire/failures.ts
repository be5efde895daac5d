import { AssayError, type ErrorCode } from '../../../domain/errors.ts';
import { HttpFailure } from '../../../shared/http/http-failure.ts';
import type { Redact } from '../../../shared/redaction/redaction.ts';
import { shownUrl } from './endpoint-url.ts';

/** Agents put whole documents into the messages of their errors. */
const longestProblem = 1_000;

/** How errors of one exchange are made: each names the endpoint, none tells a secret. */
export interface Failing {
  readonly method: string;
  readonly shownUrl: string;
  readonly redact: Redact;
  /** `problem` goes on after the name of the endpoint. */
  error(code: ErrorCode, problem: string, hint?: string, cause?: unknown): AssayError;
}

/** Errors of an exchange with this endpoint. */
export function failingAt(method: string, url: URL, redact: Redact): Failing {
  const shown = redact(shownUrl(url));
  return {
    method,
    shownUrl: shown,
    redact,
    error: (code, problem, hint, cause) =>
      new AssayError(code, `${method} ${shown} ${shortened(redact(problem))}`, { hint, cause }),
  };
}

function shortened(text: string): string {
  return text.length > longestProblem ? `${text.slice(0, longestProblem)}…` : text;
}

/** Why an exchange ended without an answer. */
export function failureOf(error: unknown, signal: AbortSignal, failing: Failing): AssayError {
  if (signal.aborted) {
    if (signal.reason instanceof AssayError) return signal.reason;
    return failing.error('TARGET_TIMEOUT', 'did not answer before it was stopped.');
  }
  if (!(error instanceof HttpFailure)) {
    return failing.error('TARGET_UNREACHABLE', `cannot be asked: ${String(error)}.`, undefined, error);
  }
  if (error.kind === 'unreadable') return failing.error('TARGET_OUTPUT_NOT_JSON', `answered with ${error.message}.`);
  if (error.kind === 'too-large') return failing.error('TARGET_OUTPUT_TOO_LARGE', `answered with ${error.message}.`);
  if (error.kind === 'broken-off') {
    const hint = 'The endpoint closed the connection within its answer; its own log should say why.';
    return failing.error('TARGET_CRASHED', `broke off within its answer: ${error.message}.`, hint, error);
  }
  return failing.error('TARGET_UNREACHABLE', `gave no answer: ${error.message}.`, undefined, error);
}
