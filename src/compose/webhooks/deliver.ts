import { createHmac } from 'node:crypto';
import { TimeLimit } from '../../shared/async.ts';
import type { HttpClient, HttpResponse } from '../../shared/http/http-client.ts';
import { pauseBeforeRetry } from '../../shared/http/retry-after.ts';
import type { Delivery } from './outbox.ts';

/** How an attempt to deliver ended; `refused`: another attempt would not help. */
export type DeliveryResult =
  | { readonly kind: 'taken'; readonly attempts: number }
  | { readonly kind: 'refused' | 'failed'; readonly attempts: number; readonly failure: string };

interface DeliveryOptions {
  readonly client: HttpClient;
  readonly url: URL;
  readonly secret: string;
  /** Aborted when the run waits no longer. */
  readonly signal: AbortSignal;
}

const pauses = { firstMs: 250, longestMs: 8_000 };
const attemptMs = 5_000;
const mostAnswerBytes = 64_000;

/** The signature of a body: HMAC-SHA256 over id, time and body, as the Standard Webhooks specification has it. */
function webhookSignature(secret: string, id: string, timestamp: string, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** Sends an event until it is taken, refused, or the signal is aborted; pauses grow. */
export async function deliver(delivery: Delivery, options: DeliveryOptions): Promise<DeliveryResult> {
  let failure = 'there was no time for an attempt';
  for (let attempts = 1; ; attempts += 1) {
    if (options.signal.aborted) return { kind: 'failed', attempts: attempts - 1, failure };
    const answer = await attempt(delivery, options);
    if (typeof answer === 'string') failure = answer;
    else if (answer.status >= 200 && answer.status < 300) return { kind: 'taken', attempts };
    else failure = `it answered with ${answer.status}`;
    if (typeof answer !== 'string' && isFinal(answer.status)) return { kind: 'refused', attempts, failure };
    await pauseBeforeRetry(attempts, pauses, typeof answer === 'string' ? {} : answer.headers, options.signal);
  }
}

/** A redirect is not followed: the body belongs to the URL of the config. */
function isFinal(status: number): boolean {
  return status < 500 && ![408, 425, 429].includes(status);
}

/** The answer, or why there is none. */
async function attempt(
  { id, body }: Delivery,
  { client, url, secret, signal: runSignal }: DeliveryOptions,
): Promise<HttpResponse | string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  using limit = new TimeLimit(attemptMs, runSignal);
  const { signal } = limit;
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': webhookSignature(secret, id, timestamp, body),
  };
  try {
    return await client.send({ url, method: 'POST', headers, body, signal, bodyLimitBytes: mostAnswerBytes });
  } catch (error) {
    if (signal.aborted) return 'it did not answer in time';
    return error instanceof Error ? error.message : String(error);
  }
}
