import { describe, expect, it } from 'vitest';
import { asAssayError } from '../../domain/errors.ts';
import { eventsOf } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { linesOf } from '../../testing/fakes/conversation/talk.ts';
import { bodyOf, serve } from '../../testing/support/http-server.ts';
import { connectorKinds } from '../connectors/index.ts';
import { Threads } from '../targets/call/threads.ts';
import { StampedTrace } from '../targets/stamped-trace.ts';
import { conversationTargetWith } from './conversation-target.ts';

const conversationTarget = conversationTargetWith(connectorKinds);

type Body = { readonly messages: readonly { readonly role: string; readonly content: string }[] };

async function overHttp(baseUrl: string, env: Readonly<Record<string, string>> = {}) {
  const config = conversationTarget.configSchema.parse({
    connectors: { agent: { type: 'http', baseUrl, headers: { authorization: 'Bearer ${KEY}', 'x-who': 'guest' } } },
    personas: { ann: { name: 'Ann', messages: ['A table', 'On Friday'], headers: { 'x-who': 'ann' } } },
  });
  const { signal } = new AbortController();
  const context = { directory: '/', env: { KEY: 'k-1234567', ...env }, threads: new Threads(), signal };
  await using target = await conversationTarget.open(config, context);
  const trial = {
    trialId: 't-1',
    variant: { connector: 'agent', persona: 'ann' },
    repeat: 1,
    case: { input: {} },
    scenario: {},
  };
  const trace = new StampedTrace();
  const stop = { isStopped: false, signal, onStop: () => undefined };
  const turns = { afterTurn: async () => 'go on' as const };
  const attempt = target.attempt(trial as unknown as Trial, trace, stop, turns);
  const error = await attempt.then(() => undefined, asAssayError);
  return { trace: trace.events, error };
}

describe('a conversation over HTTP', () => {
  it('every turn brings the whole conversation and the headers of the persona', async () => {
    const requests: { readonly who: unknown; readonly key: unknown; readonly messageTexts: readonly string[] }[] = [];
    const url = await serve(async (request, response) => {
      const { messages } = JSON.parse(await bodyOf(request)) as Body;
      const messageTexts = messages.map(({ role, content }) => `${role}: ${content}`);
      requests.push({ who: request.headers['x-who'], key: request.headers.authorization, messageTexts });
      const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ response: `answer ${requests.length}`, usage }));
    });
    const { trace, error } = await overHttp(url);
    expect(error).toBeUndefined();
    expect(requests).toEqual([
      { who: 'ann', key: 'Bearer k-1234567', messageTexts: ['user: A table'] },
      {
        who: 'ann',
        key: 'Bearer k-1234567',
        messageTexts: ['user: A table', 'assistant: answer 1', 'user: On Friday'],
      },
    ]);
    expect(linesOf(trace)).toEqual(['user: A table', 'assistant: answer 1', 'user: On Friday', 'assistant: answer 2']);
    expect(eventsOf(trace, 'turn')).toMatchObject([
      { number: 1, usage: { inputTokens: 10, outputTokens: 2 } },
      { number: 2, latencyMs: expect.any(Number) },
    ]);
    expect(JSON.stringify(trace)).not.toContain('k-1234567');
  });

  it('an endpoint that fails on the second turn is a fault of the target, and the first turn is kept', async () => {
    let count = 0;
    const url = await serve((_, response) => {
      count++;
      if (count === 1) response.end(JSON.stringify({ content: 'fine' }));
      else response.writeHead(500).end('broken');
    });
    const { trace, error } = await overHttp(url);
    expect(error?.blame).toBe('target');
    expect(linesOf(trace)).toEqual(['user: A table', 'assistant: fine', 'user: On Friday']);
  });
});
