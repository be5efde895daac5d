import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../src/domain/trace.ts';
import { runConversation, validateConversation } from '../../src/testing/support/conversation-run.ts';
import { serve } from '../../src/testing/support/http-server.ts';

interface Refusal {
  readonly status: number;
  readonly retryAfter?: string;
}

/** An agent that refuses these times before it answers. */
async function refusingAgent(...refusals: readonly Refusal[]) {
  let requests = 0;
  const url = await serve((_, response) => {
    const refusal = refusals[requests++];
    if (!refusal) return response.end(JSON.stringify({ content: 'Booked.' }));
    const { status, retryAfter } = refusal;
    return response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('busy');
  });
  return { url, requests: () => requests };
}

function booking(connector: object, more: object = {}) {
  return {
    name: 'Booking',
    connector: { type: 'http', ...connector },
    userMessages: ['Book it'],
    evaluators: [{ type: 'contains', config: { text: 'Booked' } }],
    ...more,
  };
}

const soon = { status: 429, retryAfter: '0' };

describe('an agent that refuses for the moment', () => {
  it('is sent the turn again, each retry is in the trace, and the latency is that of the answer', async () => {
    const agent = await refusingAgent({ status: 429, retryAfter: '1' }, soon);
    const { trial, trace, exitCode } = await runConversation(booking({ baseUrl: agent.url }));
    expect([trial.outcome, exitCode, agent.requests()]).toEqual(['pass', 0, 3]);
    const retries = trace.filter((event) => event.type === 'other' && event.kind === 'retry');
    expect(retries).toMatchObject([
      { seenBy: 'recorder', data: { retry: 1, of: 3, status: 429, waitMs: 1_000, isWaitRequested: true } },
      { seenBy: 'recorder', data: { retry: 2, waitMs: 0 } },
    ]);
    const [turn] = eventsOf(trace, 'turn');
    const sinceLastRetryMs = (turn?.at ?? 0) - (retries.at(-1)?.at ?? 0);
    expect(turn?.latencyMs).toBeLessThanOrEqual(sinceLastRetryMs + 1);
  });

  it('makes the trial an error when it never stops refusing', async () => {
    const agent = await refusingAgent(soon, soon, soon);
    const connector = { baseUrl: agent.url, retry: { times: 2 } };
    const { trial, exitCode } = await runConversation(booking(connector));
    expect(trial).toMatchObject({ outcome: 'error', reason: expect.stringContaining('HTTP 429') });
    expect(trial.reason).toContain('Sent 3 times');
    expect([exitCode, agent.requests()]).toEqual([3, 3]);
  });

  it('is not waited for beyond the time limit of the trial', async () => {
    const agent = await refusingAgent({ status: 429, retryAfter: '50' });
    const { trial } = await runConversation(booking({ baseUrl: agent.url }, { timeoutSecs: 2 }));
    expect(trial).toMatchObject({ outcome: 'error', reason: expect.stringContaining('within') });
    expect(agent.requests()).toBe(1);
  });

  it('gets a POST again after 503 only where its connector allows it', async () => {
    const unavailable = { status: 503, retryAfter: '0' };
    const careful = await refusingAgent(unavailable);
    expect((await runConversation(booking({ baseUrl: careful.url }))).trial.outcome).toBe('error');
    expect(careful.requests()).toBe(1);
    const allowed = await refusingAgent(unavailable);
    const connector = { baseUrl: allowed.url, retry: { statuses: [429, 503] } };
    expect((await runConversation(booking(connector))).trial.outcome).toBe('pass');
    const read = await refusingAgent(unavailable);
    const asked = { baseUrl: read.url, config: { method: 'GET' } };
    expect((await runConversation(booking(asked))).trial.outcome).toBe('pass');
  });

  it('is refused a policy that cannot be kept', async () => {
    const retry = { times: -1, statuses: [500], forever: true };
    const { exitCode, stdout, stderr } = await validateConversation(booking({ baseUrl: 'http://127.0.0.1:9', retry }));
    expect(exitCode).toBe(2);
    for (const key of ['times', 'statuses', 'forever']) expect(stdout + stderr).toContain(key);
  });
});
