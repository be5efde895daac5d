import { unansweredEvents } from '../../domain/costs.ts';
import { AssayError } from '../../domain/errors.ts';
import { backoffMs } from '../../shared/http/retry-after.ts';
import type { Clock } from '../pacing/clock.ts';
import type { Connector, ConnectorRequest, ConnectorResponse } from './connector.ts';
import type { RetryPolicy } from './retry-policy.ts';
import { mayHaveCost, StatusFailure } from './wire/endpoint-errors.ts';

const firstPauseMs = 500;

export interface RetryRules {
  readonly policy: RetryPolicy;
  /** True for a connector to a model, which does nothing but answer. */
  readonly isRepeatable: boolean;
  readonly clock: Clock;
  /** From 0 to below 1. */
  random(): number;
}

/**
 * Sends a turn again that the agent refused for the moment. Each retry is in the trace, the latency of an answer is
 * that of the request that was answered, and the time limit of the trial ends the wait.
 */
export function withRetries(inner: Connector, rules: RetryRules): Connector {
  return {
    ...(inner.isPaidThroughAccount && { isPaidThroughAccount: true }),
    invoke: (request) => invokeWithRetries(inner, request, rules),
    endConversation: (conversationId) => inner.endConversation?.(conversationId),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}

async function invokeWithRetries(
  inner: Connector,
  request: ConnectorRequest,
  rules: RetryRules,
): Promise<ConnectorResponse> {
  const { policy, clock } = rules;
  for (let retries = 0; ; retries++) {
    try {
      return await inner.invoke(request);
    } catch (error) {
      const refusal = refusalIn(error, rules);
      if (!refusal) throw error;
      const waitMs = waitBefore(refusal.failure.traits, retries, rules);
      if (retries >= policy.times || waitMs === undefined) throw withAttempts(refusal.error, retries, waitMs);
      const { status, traits } = refusal.failure;
      const data = {
        retry: retries + 1,
        of: policy.times,
        status,
        waitMs,
        isWaitRequested: traits.retryAfterMs !== undefined,
        message: refusal.error.message,
      };
      request.emit?.({ type: 'other', seenBy: 'recorder', kind: 'retry', data });
      if (mayHaveCost(error)) {
        for (const event of unansweredEvents(request.model ?? 'the agent', 1, 'target')) request.emit?.(event);
      }
      await clock.wait(waitMs, request.signal);
      traits.countWait?.(waitMs);
    }
  }
}

/**
 * With 429 an agent refuses a request before it works on it, so the request may be sent again whatever it does. A 503
 * may come from something in front of an agent that has begun to work.
 */
function refusalIn(error: unknown, { policy, isRepeatable }: RetryRules) {
  const failure = error instanceof AssayError ? error.cause : undefined;
  if (!(error instanceof AssayError && failure instanceof StatusFailure)) return undefined;
  const { status, traits } = failure;
  const isRetried = policy.statuses
    ? policy.statuses.some((chosen) => chosen === status)
    : status === 429 || (status === 503 && (isRepeatable || traits.isRepeatable));
  return isRetried ? { error, failure } : undefined;
}

/** Undefined where the agent asks for a longer wait than the policy allows. */
function waitBefore(
  { retryAfterMs }: StatusFailure['traits'],
  retries: number,
  { policy, random }: RetryRules,
): number | undefined {
  const longestMs = policy.maxWaitSecs * 1_000;
  if (retryAfterMs !== undefined) return retryAfterMs > longestMs ? undefined : retryAfterMs;
  return backoffMs(retries + 1, { firstMs: firstPauseMs, longestMs }, random);
}

function withAttempts(error: AssayError, retries: number, waitMs: number | undefined): AssayError {
  const why = waitMs === undefined ? ' It asks for a longer wait than `retry.maxWaitSecs` allows.' : '';
  if (retries === 0 && why === '') return error;
  const attempts = retries === 0 ? '' : ` Sent ${retries + 1} times.`;
  const { code, message, hint, cause } = error;
  return new AssayError(code, `${message}${attempts}${why}`, { hint, cause });
}
