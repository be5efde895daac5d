import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { asking } from '../../testing/fakes/connectors/opened.ts';
import type { ConnectorResponse } from './connector.ts';
import { retryPolicySchema } from './retry-policy.ts';
import { StatusFailure } from './wire/endpoint-errors.ts';
import { withRetries } from './with-retries.ts';

interface Refused {
  readonly status: number;
  readonly retryAfterMs?: number;
  readonly isRepeatable?: boolean;
}

const answer: ConnectorResponse = { messages: [{ role: 'assistant', content: 'Hi' }], latencyMs: 7 };

/** Asks an agent that refuses these times before it answers; gives the result, the waits and the trace. */
async function ask(refusals: readonly Refused[], written: unknown = {}, isRepeatable = false) {
  const waits: number[] = [];
  const events: UnstampedEvent[] = [];
  const left = [...refusals];
  let sent = 0;
  const inner = {
    async invoke() {
      sent++;
      const refusal = left.shift();
      if (!refusal) return answer;
      const { status, retryAfterMs, isRepeatable: isSafe = false } = refusal;
      const cause = new StatusFailure(status, { retryAfterMs, isRepeatable: isSafe });
      throw new AssayError('TARGET_UNREACHABLE', `HTTP ${status}.`, { cause });
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const clock = { nowMs: () => 0, wait: async (ms: number) => void waits.push(ms) };
  const policy = retryPolicySchema().parse(written);
  const connector = withRetries(inner, { policy, isRepeatable, clock, random: () => 0.5 });
  const emit = (event: UnstampedEvent) => void events.push(event);
  const result = await connector.invoke(asking('Hello', { emit })).catch((error: unknown) => error);
  return { result, waits, events, sent };
}

describe('withRetries', () => {
  it('waits as long as the agent asks for, and else longer each time', async () => {
    const { result, waits, events } = await ask([
      { status: 429, retryAfterMs: 1_200 },
      { status: 429 },
      { status: 429 },
    ]);
    expect(result).toEqual(answer);
    expect(waits).toEqual([1_200, 750, 1_500]);
    expect(events).toMatchObject([
      { type: 'other', kind: 'retry', data: { retry: 1, of: 3, status: 429, waitMs: 1_200, isWaitRequested: true } },
      { kind: 'retry', data: { retry: 2, isWaitRequested: false } },
      { kind: 'retry', data: { retry: 3 } },
    ]);
  });

  it('gives up after its retries, and says how often it sent the request', async () => {
    const { result, sent } = await ask([429, 429, 429, 429].map((status) => ({ status })));
    expect(sent).toBe(4);
    expect(result).toMatchObject({ code: 'TARGET_UNREACHABLE', message: 'HTTP 429. Sent 4 times.' });
  });

  it('does not wait longer than the policy allows', async () => {
    const { result, sent } = await ask([{ status: 429, retryAfterMs: 61_000 }]);
    expect(sent).toBe(1);
    expect(result).toMatchObject({ message: expect.stringContaining('`retry.maxWaitSecs`') });
  });

  it.each([
    ['a POST', { status: 503 }, {}, false, 1],
    ['a GET', { status: 503, isRepeatable: true }, {}, false, 2],
    ['a model', { status: 503 }, {}, true, 2],
    ['an agent that allows it', { status: 503 }, { statuses: [429, 503] }, false, 2],
    ['a crash', { status: 500 }, {}, true, 1],
    ['429 where only 503 is chosen', { status: 429 }, { statuses: [503] }, false, 1],
    ['429 with retries turned off', { status: 429 }, { times: 0 }, false, 1],
  ] as const)('%s after %j', async (_, refusal, policy, isRepeatable, times) => {
    expect((await ask([refusal], policy, isRepeatable)).sent).toBe(times);
  });

  it('counts a refusal with 503 as a request of unknown cost', async () => {
    const { events } = await ask([{ status: 503 }], {}, true);
    expect(events).toMatchObject([{ kind: 'retry' }, { type: 'gap', requests: 1 }]);
  });
});
