import { AssayError } from '../../domain/errors.ts';
import { formatDuration } from '../../shared/format.ts';
import { retryAfterMs } from '../../shared/http/retry-after.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import type { Clean } from '../../shared/redaction/redaction.ts';
import { oneLine, shorten } from '../../shared/text.ts';
import { type FailureTraits, ModelFailure } from './model.ts';
import { NoAnswerError } from './send-request.ts';

/** An answer of a provider that reports an error. */
interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** In the provider's words; empty when it said nothing that could be read. */
  readonly message: string;
  /** Every code, type, status and reason that the answer names. */
  readonly codes: readonly string[];
  /** How long the provider asks to be left alone, as the body says it. */
  readonly bodyRetryAfterMs: number | undefined;
}

interface FailedCall {
  /** `provider/model`. */
  readonly name: string;
  readonly nowMs: number;
  readonly redact: Clean;
}

const refusal: FailureTraits = { retry: 'never', isProvidersFault: false, mayBeBilled: false };
const outage: FailureTraits = { retry: 'always', isProvidersFault: true, mayBeBilled: false };
const junk: FailureTraits = { retry: 'once', isProvidersFault: true, mayBeBilled: true };

const quotaCodes = /insufficient_quota|billing|PerDay|quota_exceeded|exceeded_current_quota/i;
const quotaWords = /credit balance|insufficient (?:balance|credits?|funds|quota)|billing/i;
/** Something before the provider gave up waiting, and the provider may have done the work. */
const gatewayStatuses: ReadonlySet<number> = new Set([408, 502, 504, 520, 522, 524]);
const transientStatuses: ReadonlySet<number> = new Set([408, 409, 425]);

/** An answer that is not a reply of a model. */
export class AnsweredError extends Error {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;

  constructor(status: number, body: string, headers: Readonly<Record<string, unknown>>) {
    super(`status ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Classifies a failed attempt by the provider's answer, or by the reason why there was none. */
export function classifyFailure(thrown: unknown, call: FailedCall): ModelFailure {
  if (thrown instanceof AnsweredError) return answeredFailure(errorAnswerOf(thrown), call);
  if (thrown instanceof AssayError) return failure(thrown.code, thrown.message, refusal, call);
  if (thrown instanceof NoAnswerError) {
    const { isUnreadable, wasSent, message } = thrown;
    if (isUnreadable) return failure('MODEL_BAD_REPLY', message, junk, call);
    const traits = { ...outage, mayBeBilled: wasSent, isUnreachable: !wasSent };
    return failure('MODEL_UNAVAILABLE', message, traits, call);
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return failure('MODEL_BAD_REPLY', `the answer cannot be read: ${message}`, junk, call);
}

function answeredFailure(answer: ErrorAnswer, call: FailedCall): ModelFailure {
  const { status, codes, body } = answer;
  if (status >= 200 && status < 300) {
    return failure('MODEL_BAD_REPLY', `the answer is not a model reply: ${excerpt(body)}`, junk, call);
  }
  const message = `status ${status}${answer.message ? `: ${answer.message}` : body.trim() ? `: ${excerpt(body)}` : ''}`;
  if (isQuota(answer)) return failure('MODEL_QUOTA', message, refusal, call);
  if (status === 401 || status === 403 || codes.includes('API_KEY_INVALID')) {
    return failure('MODEL_UNAUTHORIZED', message, refusal, call);
  }
  const waitMs = retryAfterMs(answer.headers, call.nowMs) ?? answer.bodyRetryAfterMs;
  if (status === 429) {
    const wait = waitMs === undefined ? '' : `; retry after ${formatDuration(waitMs)}`;
    return failure(
      'MODEL_RATE_LIMITED',
      `${message}${wait}`,
      { ...refusal, retry: 'always', retryAfterMs: waitMs },
      call,
    );
  }
  if (status >= 500 || transientStatuses.has(status)) {
    const mayBeBilled = gatewayStatuses.has(status);
    return failure('MODEL_UNAVAILABLE', message, { ...outage, mayBeBilled, retryAfterMs: waitMs }, call);
  }
  return failure('MODEL_BAD_REQUEST', message, refusal, call);
}

/** Google says `billing` for its limits by the minute too, but then also says when to come back. */
function isQuota({ status, codes, message, bodyRetryAfterMs }: ErrorAnswer): boolean {
  if (status === 402) return true;
  if (status < 400 || status >= 500 || status === 401) return false;
  if (codes.some((code) => quotaCodes.test(code))) return true;
  return (status === 429 || status === 400) && bodyRetryAfterMs === undefined && quotaWords.test(message);
}

function failure(
  code: ConstructorParameters<typeof ModelFailure>[0],
  message: string,
  traits: FailureTraits,
  { name, redact }: FailedCall,
): ModelFailure {
  // Redacted before it is cut, because half a key would not be recognised.
  return new ModelFailure(code, `${name}: ${shorten(redact(message), 500)}`, traits);
}

function excerpt(body: string): string {
  return body.trim() === '' ? 'it is empty' : oneLine(body);
}

function errorAnswerOf({ status, headers, body }: AnsweredError): ErrorAnswer {
  const error = errorIn(parseJson(body));
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  return {
    status,
    headers,
    body,
    message: typeof error.message === 'string' ? error.message : '',
    codes: [error.code, error.type, error.status, ...details.flatMap(detailCodes)].filter(
      (code): code is string => typeof code === 'string',
    ),
    bodyRetryAfterMs: details.map(({ retryDelay }) => secondsAsMs(retryDelay)).find((ms) => ms !== undefined),
  };
}

/** Providers put it under `error`; some servers leave that out, and some wrap everything in a list. */
function errorIn(parsed: unknown): Record<string, unknown> {
  const document: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isRecord(document)) return {};
  if (typeof document.error === 'string') return { ...document, message: document.error };
  return isRecord(document.error) ? document.error : document;
}

function detailCodes({ reason, violations }: Record<string, unknown>): unknown[] {
  const quotas = Array.isArray(violations) ? violations.filter(isRecord).map(({ quotaId }) => quotaId) : [];
  return [reason, ...quotas];
}

function secondsAsMs(text: unknown): number | undefined {
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(typeof text === 'string' ? text : '') ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
