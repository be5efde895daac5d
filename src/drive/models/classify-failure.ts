import { formatDuration } from '../../shared/format.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import { type ErrorAnswer, errorAnswerOf } from './error-answer.ts';
import { NoAnswerError } from './http-fetch.ts';
import { type FailureTraits, ModelFailure } from './model-failure.ts';
import { retryAfterMs } from './retry-after.ts';

interface FailedCall {
  /** `provider/model`. */
  readonly name: string;
  readonly nowMs: number;
  readonly redact: Redact;
}

const refusal: FailureTraits = { retry: 'never', isProvidersFault: false, mayBeBilled: false };
const outage: FailureTraits = { retry: 'always', isProvidersFault: true, mayBeBilled: false };
const junk: FailureTraits = { retry: 'once', isProvidersFault: true, mayBeBilled: true };

const quotaCodes = /insufficient_quota|billing|PerDay|quota_exceeded|exceeded_current_quota/i;
const quotaWords = /credit balance|insufficient (?:balance|credits?|funds|quota)|billing/i;
/** Something before the provider gave up waiting, and the provider may have done the work. */
const gatewayStatuses: ReadonlySet<number> = new Set([408, 502, 504, 520, 522, 524]);
const transientStatuses: ReadonlySet<number> = new Set([408, 409, 425]);

/** Words of the SDK for a request that it cannot even send. */
const unsendable = /^AI_(?:UnsupportedFunctionality|InvalidPrompt|InvalidArgument|NoSuchModel)Error$/;

/** What went wrong in an attempt, by what the provider answered or by what kept it from answering. */
export function classifyFailure(thrown: unknown, call: FailedCall): ModelFailure {
  const answer = errorAnswerOf(thrown);
  if (answer) return answeredFailure(answer, call);
  const unanswered = causesOf(thrown).find((cause) => cause instanceof NoAnswerError);
  if (unanswered) {
    if (unanswered.isUnreadable) return failure('MODEL_BAD_REPLY', unanswered.message, junk, call);
    return failure('MODEL_UNAVAILABLE', unanswered.message, { ...outage, mayBeBilled: unanswered.wasSent }, call);
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof Error && unsendable.test(thrown.name)) {
    return failure('MODEL_BAD_REQUEST', message, refusal, call);
  }
  return failure('MODEL_BAD_REPLY', `the answer cannot be read: ${message}`, junk, call);
}

function answeredFailure(answer: ErrorAnswer, call: FailedCall): ModelFailure {
  const { status, codes, body } = answer;
  if (status >= 200 && status < 300) {
    return failure('MODEL_BAD_REPLY', `the answer is no reply of a model: ${excerpt(body)}`, junk, call);
  }
  const said = `status ${status}${answer.message ? `: ${answer.message}` : body.trim() ? `: ${excerpt(body)}` : ''}`;
  if (isQuota(answer)) return failure('MODEL_QUOTA', said, refusal, call);
  if (status === 401 || status === 403 || codes.includes('API_KEY_INVALID')) {
    return failure('MODEL_UNAUTHORIZED', said, refusal, call);
  }
  const waitMs = retryAfterMs(answer, call.nowMs);
  if (status === 429) {
    const asked = waitMs === undefined ? '' : `; it asks to wait ${formatDuration(waitMs)}`;
    return failure(
      'MODEL_RATE_LIMITED',
      `${said}${asked}`,
      { ...refusal, retry: 'always', retryAfterMs: waitMs },
      call,
    );
  }
  if (status >= 500 || transientStatuses.has(status)) {
    const mayBeBilled = gatewayStatuses.has(status);
    return failure('MODEL_UNAVAILABLE', said, { ...outage, mayBeBilled, retryAfterMs: waitMs }, call);
  }
  return failure('MODEL_BAD_REQUEST', said, refusal, call);
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
  said: string,
  traits: FailureTraits,
  { name, redact }: FailedCall,
): ModelFailure {
  // Redacted before it is cut, because half a key would not be recognised.
  return new ModelFailure(code, `${name}: ${shortened(redact(said), 500)}`, traits);
}

function excerpt(body: string): string {
  return body.trim() === '' ? 'it is empty' : body.replace(/\s+/g, ' ').trim();
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)} …` : text;
}

function causesOf(thrown: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = thrown; cause !== undefined && cause !== null && causes.length < 8; ) {
    causes.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}
