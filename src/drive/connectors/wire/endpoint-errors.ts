import { AssayError, type ErrorCode } from '../../../domain/errors.ts';
import { HttpFailure } from '../../../shared/http/exchange.ts';
import type { HttpResponse } from '../../../shared/http/http-client.ts';
import { retryAfterMs } from '../../../shared/http/retry-after.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import type { Redact } from '../../../shared/redaction/redaction.ts';
import { shorten } from '../../../shared/text.ts';
import { errorTextIn } from '../../wire/values.ts';
import { excerptOf } from './answer.ts';
import { urlWithoutSecrets } from './url-and-headers.ts';

/** Agents put whole documents into the messages of their errors. */
const longestProblem = 1_000;

/** Creates the errors of one exchange: each names the endpoint, none holds a secret. */
export interface EndpointErrors {
  readonly method: string;
  /** Without secrets. */
  readonly url: string;
  readonly redact: Redact;
  /** `problem` continues a sentence that begins with the endpoint. */
  create(code: ErrorCode, problem: string, hint?: string, cause?: unknown): AssayError;
}

export function endpointErrors(method: string, url: URL, redact: Redact): EndpointErrors {
  const address = redact(urlWithoutSecrets(url));
  return {
    method,
    url: address,
    redact,
    create: (code, problem, hint, cause) =>
      new AssayError(code, `${method} ${address} ${shorten(redact(problem), longestProblem)}`, { hint, cause }),
  };
}

/** The error for an exchange that ended without an answer. */
export function errorOfExchange(error: unknown, signal: AbortSignal, errors: EndpointErrors): AssayError {
  if (signal.aborted) {
    if (signal.reason instanceof AssayError) return signal.reason;
    return errors.create('TARGET_TIMEOUT', 'did not answer before it was stopped.');
  }
  if (!(error instanceof HttpFailure)) {
    return errors.create('TARGET_UNREACHABLE', `could not be reached: ${String(error)}.`, undefined, error);
  }
  if (error.kind === 'unreadable') return errors.create('TARGET_OUTPUT_NOT_JSON', `answered with ${error.message}.`);
  if (error.kind === 'too-large') return errors.create('TARGET_OUTPUT_TOO_LARGE', `answered with ${error.message}.`);
  if (error.kind === 'broken-off') {
    const hint = "Look into the endpoint's log to see why it closed the connection.";
    return errors.create('TARGET_CRASHED', `broke off its answer: ${error.message}.`, hint, error);
  }
  return errors.create('TARGET_UNREACHABLE', `gave no answer: ${error.message}.`, undefined, error);
}

interface StatusMeaning {
  readonly code: ErrorCode;
  readonly hint: string;
}

const meanings: Readonly<Record<number, StatusMeaning>> = {
  401: { code: 'TARGET_UNREACHABLE', hint: 'Check the key or the credentials in the headers of the connector.' },
  403: { code: 'TARGET_UNREACHABLE', hint: 'Check that the credentials in the headers may use this endpoint.' },
  404: { code: 'TARGET_UNREACHABLE', hint: 'Check the base URL and the path of the connector.' },
  405: { code: 'TARGET_UNREACHABLE', hint: 'Check the method and the path of the connector.' },
  408: { code: 'TARGET_TIMEOUT', hint: 'Find out why the endpoint is slow: it gave up waiting.' },
  429: { code: 'TARGET_UNREACHABLE', hint: 'Run with a lower --concurrency: the endpoint limits the request rate.' },
  504: { code: 'TARGET_TIMEOUT', hint: 'Find out why the agent behind the gateway is slow.' },
};
const redirected: StatusMeaning = {
  code: 'TARGET_UNREACHABLE',
  hint: 'Set the base URL of the connector to the new location: redirects are not followed.',
};
const refused: StatusMeaning = {
  code: 'TARGET_UNREACHABLE',
  hint: 'Compare the message with the config of the connector: the endpoint refused the request.',
};
const crashed: StatusMeaning = {
  code: 'TARGET_CRASHED',
  hint: "Look into the endpoint's log to see why the agent failed.",
};

/** Throws for an answer with a status other than success. */
export function assertSuccess(
  { status, headers, body }: HttpResponse,
  errors: EndpointErrors,
  countWait?: StatusTraits['countWait'],
): void {
  if (status >= 200 && status <= 299) return;
  const { code, hint } = meanings[status] ?? (status >= 500 ? crashed : status >= 400 ? refused : redirected);
  const location = status < 400 ? headers.location?.replace(/[?#].*$/s, '') : undefined;
  const detail = location === undefined ? (errorTextIn(parseJson(body)) ?? body.trim()) : `to ${location}`;
  const excerpt = detail === '' ? ' and an empty body' : `: ${excerptOf(detail, errors.redact)}`;
  const isRepeatable = repeatableMethods.has(errors.method);
  const cause = new StatusFailure(status, { isRepeatable, retryAfterMs: retryAfterMs(headers, Date.now()), countWait });
  throw errors.create(code, `answered with HTTP ${status}${excerpt}`, hint, cause);
}

/** By their definition, these requests may be sent twice and have the effect of one. */
const repeatableMethods: ReadonlySet<string> = new Set(['GET', 'PUT']);

interface StatusTraits {
  /** Whether the same request may be sent again without doing anything twice. */
  readonly isRepeatable: boolean;
  /** How long the endpoint asks to be left alone. */
  readonly retryAfterMs: number | undefined;
  /** Takes the time until the request was sent again, for the figures about this server. */
  readonly countWait?: ((ms: number) => void) | undefined;
}

/** Cause of an error that came from a status. */
export class StatusFailure extends Error {
  readonly status: number;
  readonly traits: StatusTraits;

  constructor(status: number, traits: StatusTraits) {
    super(`HTTP ${status}`);
    this.status = status;
    this.traits = traits;
  }
}

/** Cause of an error of a turn in which every request was answered, so nothing is unknown about its cost. */
export class AnsweredFailure extends Error {}

const freeCodes: ReadonlySet<unknown> = new Set([
  'TARGET_NOT_LOADED',
  'MODEL_BUDGET_REACHED',
  'MODEL_NO_PRICE',
  'MODEL_NO_KEY',
  'MODEL_UNKNOWN',
  'MODEL_BAD_REQUEST',
  'CASE_INVALID',
]);

/** Whether a turn that failed may have cost something: not when it was never sent, and not when it was refused. */
export function mayHaveCost(error: unknown): boolean {
  if (isRecord(error) && freeCodes.has(error.code)) return false;
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof AnsweredFailure) return false;
  if (cause instanceof HttpFailure) return cause.wasSent;
  if (cause instanceof StatusFailure) return cause.status >= 500 || cause.status === 408;
  return true;
}
