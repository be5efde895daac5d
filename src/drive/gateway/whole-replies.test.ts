import { describe, expect, it } from 'vitest';
import type { AssayError } from '../../domain/errors.ts';
import type { Usage } from '../../domain/usage.ts';
import { apis, clients, testedGateway } from '../../testing/fakes/gateway.ts';
import { bodyOf, serve } from '../../testing/support/http-server.ts';
import type { JsonObject, WireReply } from '../wire/codec.ts';
import { gatewayApis } from './gateway-apis.ts';

const limitUsd = 0.05;
const costOf = (_model: string, { inputTokens = 0, outputTokens = 0 }: Usage): number =>
  inputTokens * 1e-6 + outputTokens * 1e-5;

type Api = (typeof apis)[number];

/** Answers in one piece, with replies that are as long as the request allows. */
async function exhaustive(api: Api) {
  const codec = gatewayApis.find(({ name }) => name === api);
  if (!codec) throw new Error(api);
  const bill = { usd: 0, calls: 0 };
  const url = await serve(async (request, response) => {
    const text = await bodyOf(request);
    const body = JSON.parse(text) as JsonObject;
    const received = codec.readRequest(body, request.url ?? '');
    if (received.maxOutputTokens === undefined) throw new Error('The request has no limit.');
    const usage = {
      inputTokens: Math.ceil(text.length / 3),
      outputTokens: received.maxOutputTokens * received.replyCount,
    };
    bill.usd += costOf('m', usage);
    bill.calls++;
    const reply: WireReply = {
      ...{ id: 'r', model: 'm', finish: 'stop', stopReason: undefined, error: undefined, unplaced: [] },
      parts: [{ kind: 'text', text: 'Done.' }],
      usage,
    };
    const options = { createdAtSecs: 0, pieceCount: 1, request: received, body };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(codec.writeReply(reply, options)));
  });
  return { url, bill };
}

/** Settings of each API for one reply that may be long, and for several at once. */
const settings: Readonly<Record<Api, readonly object[]>> = {
  'anthropic-messages': [{ max_tokens: 700 }, { max_tokens: 50_000 }],
  'openai-chat': [{}, { max_tokens: 700, n: 3 }, { max_completion_tokens: 50_000, n: 4 }],
  'openai-responses': [{}, { max_output_tokens: 700 }, { max_output_tokens: 50_000 }],
  gemini: [{}, { generationConfig: { maxOutputTokens: 700, candidateCount: 3 } }],
};

const cases = apis.flatMap((api) => settings[api].map((more) => ({ api, more, shown: JSON.stringify(more) })));

describe.each(cases)('replies of $api that come whole, with $shown', ({ api, more }) => {
  it('use at least four fifths of a limit, and never more than all of it', async () => {
    const { url, bill } = await exhaustive(api);
    const reasons: AssayError[] = [];
    const limits = { costOf, maxUsd: limitUsd };
    const session = (await testedGateway()).open({ limits, onLimit: (reason) => void reasons.push(reason) });
    const address = session.addRoute({ baseUrl: new URL(url), keys: [] });
    const { path, body } = clients[api](false);
    const request = { method: 'POST', body: JSON.stringify({ ...body, ...more }) };
    while (reasons.length === 0 && bill.calls < 100) await (await fetch(`${address.url}${path}`, request)).text();
    await session.conclude();
    expect(reasons).toMatchObject([{ code: 'MODEL_BUDGET_REACHED' }]);
    expect(bill.usd).toBeLessThanOrEqual(limitUsd);
    expect(bill.usd).toBeGreaterThanOrEqual(0.8 * limitUsd);
  });
});
