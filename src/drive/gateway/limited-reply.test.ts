import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { AssayError } from '../../domain/errors.ts';
import type { Usage } from '../../domain/usage.ts';
import { apis, clients, send, testedGateway } from '../../testing/fakes/gateway.ts';
import { bodyOf, serve } from '../../testing/support/http-server.ts';
import type { JsonObject, WireReply } from '../wire/codec.ts';
import { gatewayApis } from './gateway-apis.ts';

const perOutputToken = 1e-5;
const costOf = (_model: string, { inputTokens = 0, outputTokens = 0 }: Usage): number =>
  inputTokens * 1e-6 + outputTokens * perOutputToken;
const limitUsd = 0.03;

/** Each word is one token. */
const word = 'word ';
const words = 6_000;
const usage = { inputTokens: 100, outputTokens: words };
const longReply: WireReply = {
  ...{ id: 'r', model: 'm', finish: 'stop', stopReason: undefined, error: undefined, unplaced: [] },
  parts: [{ kind: 'text', text: word.repeat(words) }],
  usage,
};

type Api = (typeof apis)[number];

interface Provider {
  readonly isWhole?: boolean;
  readonly isCompressed?: boolean;
  /** It would go on if it could. */
  readonly isEndless?: boolean;
}

/** Sends as many words as it likes, whatever limit the request has. */
async function talkative(api: Api, { isWhole = false, isCompressed = false, isEndless = false }: Provider = {}) {
  const codec = gatewayApis.find(({ name }) => name === api);
  if (!codec) throw new Error(api);
  const provider = { wasStopped: false };
  const url = await serve(async (request, response) => {
    const body = JSON.parse(await bodyOf(request)) as JsonObject;
    const options = {
      createdAtSecs: 0,
      pieceCount: words / 4,
      request: codec.readRequest(body, request.url ?? ''),
      body,
    };
    response.on('close', () => {
      provider.wasStopped = !response.writableEnded;
    });
    const encoding: Record<string, string> = isCompressed ? { 'content-encoding': 'gzip' } : {};
    const type = isWhole ? 'application/json' : 'text/event-stream';
    response.writeHead(200, { 'content-type': type, ...encoding });
    const whole = JSON.stringify(codec.writeReply(longReply, options));
    if (isWhole) return void response.end(whole);
    if (isCompressed) return void response.end(gzipSync([...codec.writeStream(longReply, options)].join('')));
    for (const piece of codec.writeStream(longReply, options)) response.write(piece);
    if (!isEndless) response.end();
  });
  return { url, provider };
}

async function cutCall(api: Api, isStreaming: boolean, options: Provider & { readonly limits?: object } = {}) {
  const { url, provider } = await talkative(api, { isWhole: !isStreaming, ...options });
  const reasons: AssayError[] = [];
  const limits = { costOf, ...(options.limits ?? { maxUsd: limitUsd }) };
  const session = (await testedGateway()).open({ limits, onLimit: (reason) => void reasons.push(reason) });
  const response = await send(session.addRoute({ baseUrl: new URL(url), keys: [] }), api, isStreaming);
  const received = await response.text();
  await session.conclude();
  return { provider, session, response, received, reasons };
}

function wordsIn(received: string): number {
  return received.match(/\bword\b/g)?.length ?? 0;
}

describe.each(apis)('a reply of %s that would pass the limit', (api) => {
  it('is cut in its stream, with an error that clients of the API read, and the provider stops', async () => {
    const { provider, session, response, received, reasons } = await cutCall(api, true, { isEndless: true });
    expect(response.status).toBe(200);
    expect(wordsIn(received)).toBeGreaterThan(500);
    expect(wordsIn(received) * perOutputToken).toBeLessThanOrEqual(limitUsd);
    const stream = gatewayApis.find(({ name }) => name === api)?.openStream();
    for (const [, data = ''] of received.matchAll(/^data: (.*)$/gm)) stream?.add(data);
    expect(stream?.problem).toContain('a limit of $0.03 for one trial');
    expect(received.endsWith('\n\n')).toBe(true);
    await expect.poll(() => provider.wasStopped).toBe(true);
    expect(reasons).toMatchObject([{ code: 'MODEL_BUDGET_REACHED', message: expect.stringContaining('was cut at') }]);
    expect(session.of('model-call')).toMatchObject([{ error: { message: expect.stringContaining('was cut') } }]);
    // Its cost is unknown, and the provider is not to blame.
    expect(session.of('gap')).toMatchObject([{ channels: ['usage', 'cost'], requests: 1 }]);
    expect(session.session.outages.fault(false)).toBeUndefined();
  });

  it.each([
    ['in one piece', false, {}],
    ['as a stream that cannot be read while it passes', true, { isCompressed: true }],
  ])('%s does not reach the agent, and its cost is counted', async (_, isStreaming, options) => {
    const { session, response, received, reasons } = await cutCall(api, isStreaming, options);
    expect(response.status).toBe(402);
    expect(wordsIn(received)).toBe(0);
    expect(received).toContain('a limit of $0.03 for one trial');
    expect(reasons).toMatchObject([{ code: 'MODEL_BUDGET_REACHED' }]);
    expect(session.of('usage')).toMatchObject([{ ...usage, costUsd: costOf('m', usage) }]);
  });

  it('is passed on whole where the limit leaves more than the agent wanted', async () => {
    const { response, received, reasons } = await cutCall(api, true, { limits: { maxUsd: 1 } });
    expect(response.status).toBe(200);
    expect(wordsIn(received)).toBeGreaterThanOrEqual(words);
    expect(reasons).toEqual([]);
  });

  it('is cut at a limit of tokens as well', async () => {
    const { received, reasons } = await cutCall(api, true, { limits: { maxTokens: 4_000 } });
    expect(wordsIn(received)).toBeGreaterThan(500);
    expect(wordsIn(received)).toBeLessThanOrEqual(4_000);
    expect(reasons).toHaveLength(1);
    expect(reasons[0]?.message).toContain('a limit of 4,000 tokens for one trial');
  });
});

it('a limit is not passed by requests that are open at the same time', async () => {
  const { url } = await talkative('openai-chat');
  const reasons: AssayError[] = [];
  const limits = { costOf, maxUsd: limitUsd };
  const session = (await testedGateway()).open({ limits, onLimit: (reason) => void reasons.push(reason) });
  const address = session.addRoute({ baseUrl: new URL(url), keys: [] });
  const { body } = clients['openai-chat'](true);
  const call = async (): Promise<number> => {
    const request = { method: 'POST', body: JSON.stringify({ ...body, max_tokens: 50 }) };
    return wordsIn(await (await fetch(`${address.url}/v1/chat/completions`, request)).text());
  };
  const received = await Promise.all([call(), call(), call(), call()]);
  await session.conclude();
  expect(Math.max(...received)).toBeGreaterThan(50);
  expect(received.reduce((sum, each) => sum + each) * perOutputToken).toBeLessThanOrEqual(limitUsd);
  expect(reasons.length).toBeGreaterThan(0);
});
