import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import type { Usage } from '../../domain/usage.ts';
import { Spending } from '../models/spending.ts';
import { anthropicMessages } from '../wire/anthropic-messages/codec.ts';
import type { JsonObject } from '../wire/codec.ts';
import { Allowance } from './allowance.ts';

/** USD of a million tokens: fresh, from the cache, written to it, and of the reply. */
const price = { input: 3, cached: 0.3, written: 3.75, output: 15 };

function costOf(_model: string, usage: Usage): number {
  const {
    inputTokens = 0,
    outputTokens = 0,
    cachedInputTokens: cached = 0,
    cacheWriteInputTokens: written = 0,
  } = usage;
  const fresh = inputTokens - cached - written;
  return (fresh * price.input + cached * price.cached + written * price.written + outputTokens * price.output) / 1e6;
}

/** English and code, as agents send them. */
const words = readdirSync(resolve('docs/guides'))
  .map((name) => readFileSync(join('docs/guides', name), 'utf8'))
  .join('\n');
const code = readFileSync(resolve('src/drive/gateway/allowance.ts'), 'utf8');

/** Bytes for each token of such texts, with the tokenisers of providers; a finer one has fewer. */
const bytesPerToken = 3.2;

interface Shape {
  readonly agent: string;
  /** Bytes of the instructions and tools of the first request, and the limits of the reply. */
  readonly bytes: number;
  readonly maxTokens: number;
  readonly thinking?: number;
  /** Whether it marks the beginning of its requests for the provider's cache. */
  readonly isCached: boolean;
}

/**
 * First requests as these agents sent them; `npm run test:agents` records them again, and spends their own requests
 * (test/with-real-agents/spending.test.ts). A reply without a limit gets that of the gateway.
 */
const shapes: readonly Shape[] = [
  { agent: 'claude-code', bytes: 76_501, maxTokens: 32_000, thinking: 31_999, isCached: true },
  { agent: 'codex', bytes: 41_645, maxTokens: 16_384, isCached: true },
  { agent: 'opencode', bytes: 31_054, maxTokens: 32_000, isCached: true },
  { agent: 'gemini', bytes: 49_001, maxTokens: 16_384, isCached: true },
  { agent: 'qwen', bytes: 77_738, maxTokens: 8_000, isCached: true },
  { agent: 'copilot', bytes: 48_267, maxTokens: 16_384, isCached: true },
  { agent: 'pi', bytes: 5_697, maxTokens: 16_384, isCached: false },
];

function requestOf({ bytes, maxTokens, thinking }: Shape, turns: readonly string[]): JsonObject {
  return {
    model: 'm',
    max_tokens: maxTokens,
    ...(thinking !== undefined && { thinking: { type: 'enabled', budget_tokens: thinking } }),
    system: words.slice(0, bytes),
    messages: turns.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  };
}

/** Lets an agent work until the limit stops it; each turn reads some code and answers with some hundred tokens. */
async function spend(shape: Shape, maxUsd: number) {
  const allowance = new Allowance({ maxUsd, costOf });
  const turns = ['Do it.'];
  let [spentUsd, calls, cached] = [0, 0, 0];
  try {
    for (; calls < 2_000; calls++) {
      const body = requestOf(shape, turns);
      const request = anthropicMessages.readRequest(body, '/v1/messages');
      const bytes = Buffer.from(JSON.stringify(body));
      const leave = await allowance.reserve(
        { models: ['m'], request, body: bytes, thread: 1 },
        AbortSignal.timeout(60_000),
      );
      const inputTokens = Math.ceil(bytes.length / bytesPerToken);
      const outputTokens = Math.min(400 + (calls % 3) * 300, leave.maxOutputTokens ?? shape.maxTokens);
      const usage = {
        inputTokens,
        outputTokens,
        ...(shape.isCached && { cachedInputTokens: cached, cacheWriteInputTokens: inputTokens - cached }),
      };
      if (shape.isCached) cached = inputTokens;
      leave.settle(usage, true);
      spentUsd += costOf('m', usage);
      turns.push('I read the file.', code.slice((calls * 700) % 4_000, ((calls * 700) % 4_000) + 1_500));
    }
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
  }
  return { spentUsd, calls };
}

describe('a spending limit', () => {
  it.each(shapes)('of half a dollar lets $agent use four fifths of it, and never more than all', async (shape) => {
    const { spentUsd, calls } = await spend(shape, 0.5);
    expect(calls).toBeGreaterThan(0);
    expect(spentUsd).toBeGreaterThanOrEqual(0.4);
    expect(spentUsd).toBeLessThanOrEqual(0.5);
  });

  it('is not passed where the provider counts as many tokens as were set aside', async () => {
    const allowance = new Allowance({ maxUsd: 0.2, costOf });
    const body = requestOf({ agent: 'a', bytes: 40_000, maxTokens: 32_000, isCached: false }, ['Do it.']);
    const request = anthropicMessages.readRequest(body, '/v1/messages');
    const call = { models: ['m'] as const, request, body: Buffer.from(JSON.stringify(body)), thread: 1 };
    const { maxOutputTokens = 0, settle } = await allowance.reserve(call, AbortSignal.timeout(60_000));
    expect(maxOutputTokens).toBeLessThan(32_000);
    const inputTokens = Math.ceil(call.body.length / 2.5);
    expect(costOf('m', { inputTokens, outputTokens: maxOutputTokens })).toBeLessThanOrEqual(0.2);
    settle({ inputTokens, outputTokens: maxOutputTokens }, true);
    await expect(allowance.reserve(call, AbortSignal.timeout(60_000))).rejects.toMatchObject({
      code: 'MODEL_BUDGET_REACHED',
    });
  });
});

/** A call whose body has so many bytes, and whose reply has a limit. */
function callOf(text: string, maxTokens: number | undefined = 2_000, thread = 1) {
  const body = {
    model: 'm',
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    messages: [{ role: 'user', content: text }],
  };
  const request = anthropicMessages.readRequest(body, '/v1/messages');
  return { models: ['m'] as const, request, body: Buffer.from(JSON.stringify(body)), thread };
}

const { signal } = new AbortController();
const refused = { code: 'MODEL_BUDGET_REACHED' };

describe('an allowance', () => {
  it('keeps what a reply may have cost that is unknown but may be billed', async () => {
    const allowance = new Allowance({ maxUsd: 0.06, costOf });
    const call = callOf('Do it.');
    const { settle } = await allowance.reserve(call, signal);
    settle(null, true);
    // 2,000 tokens of a reply cost 0.03, and the request 0.004 at most.
    const next = await allowance.reserve(call, signal);
    expect(next.maxOutputTokens).toBeLessThan(1_500);
    next.settle(null, true);
    await expect(allowance.reserve(call, signal)).rejects.toMatchObject(refused);
  });

  it('gives back what was set aside for a reply that is not billed, and the rest of one that was cheaper', async () => {
    const allowance = new Allowance({ maxUsd: 0.04, costOf });
    const call = callOf('Do it.');
    (await allowance.reserve(call, signal)).settle(null, false);
    (await allowance.reserve(call, signal)).settle({ inputTokens: 10, outputTokens: 10 }, true);
    const { maxOutputTokens } = await allowance.reserve(call, signal);
    expect(maxOutputTokens).toBeUndefined();
  });

  it('keeps what was set aside where a reply reports tokens of a model without a price', async () => {
    let isKnown = true;
    const allowance = new Allowance({
      maxUsd: 0.06,
      costOf: (model, usage) => (isKnown ? costOf(model, usage) : undefined),
    });
    const { settle } = await allowance.reserve(callOf('Do it.'), signal);
    isKnown = false;
    settle({ inputTokens: 1, outputTokens: 1 }, false);
    isKnown = true;
    await expect(allowance.reserve(callOf('Do it.', 2_000), signal)).resolves.toMatchObject({
      maxOutputTokens: expect.any(Number),
    });
  });

  it('refuses a call whose model has no price', async () => {
    const allowance = new Allowance({ maxUsd: 1, costOf: () => undefined });
    await expect(allowance.reserve(callOf('Do it.'), signal)).rejects.toMatchObject({ code: 'MODEL_NO_PRICE' });
  });

  it('counts input that may be written to the cache of the provider by the price of that', async () => {
    const text = words.slice(0, 30_000);
    const room = async (written: number) => {
      const costing = (_model: string, usage: Usage) =>
        costOf('m', usage) + ((usage.cacheWriteInputTokens ?? 0) * (written - price.written)) / 1e6;
      const { maxOutputTokens = 64_000 } = await new Allowance({ maxUsd: 0.2, costOf: costing }).reserve(
        callOf(text, 64_000),
        signal,
      );
      return maxOutputTokens;
    };
    // More expensive writing leaves less for the reply, and writing that is cheaper than reading leaves no more.
    expect(await room(7.5)).toBeLessThan(await room(price.input));
    expect(await room(0)).toBe(await room(price.input));
  });

  it('lets the shortest reply that is worth a request through, and refuses a shorter one', async () => {
    const reserve = (maxUsd: number, maxTokens?: number) =>
      new Allowance({ maxUsd, costOf }).reserve(callOf('Do it.', maxTokens), signal);
    // 1,024 tokens cost 0.01536, and the request 0.004 at most.
    expect((await reserve(0.0196, 32_000)).maxOutputTokens).toBeGreaterThanOrEqual(1_024);
    await expect(reserve(0.019, 32_000)).rejects.toMatchObject(refused);
    await expect(reserve(0.019, 500)).resolves.toMatchObject({ maxOutputTokens: undefined });
  });

  it('cuts a reply that comes further than what was set aside and all that is left', async () => {
    const allowance = new Allowance({ maxTokens: 5_000, costOf });
    const { assertCovers, settle } = await allowance.reserve(callOf('Do it.', 1_500), signal);
    expect(() => assertCovers?.({ outputTokens: 1_500 })).not.toThrow();
    expect(() => assertCovers?.({ inputTokens: 100, outputTokens: 4_000 })).not.toThrow();
    expect(() => assertCovers?.({ inputTokens: 100, outputTokens: 5_000 })).toThrow('was cut at 5,100 tokens');
    settle({ inputTokens: 100, outputTokens: 4_850 }, true);
    await expect(allowance.reserve(callOf('Do it.', 1_500), signal)).rejects.toThrow(
      /^The agent was stopped after 4,950 tokens: its next request could take .* a limit of 5,000 tokens for one trial leaves 50 tokens\.$/,
    );
  });

  it('waits for a call in flight that may leave enough, and goes on when that is over', async () => {
    const allowance = new Allowance({ maxUsd: 0.05, costOf });
    const first = await allowance.reserve(callOf('Do it.'), signal);
    let isOver = false;
    const second = allowance.reserve(callOf('Do it.', 2_000, 2), signal).then((permit) => {
      expect(isOver).toBe(true);
      return permit;
    });
    await Promise.resolve();
    isOver = true;
    first.settle({ inputTokens: 1, outputTokens: 1 }, true);
    expect((await second).maxOutputTokens).toBeUndefined();
  });

  it('without a limit sets nothing aside, and adds to the run what calls cost unless they were replayed', async () => {
    const run = new Spending(undefined);
    const allowance = new Allowance({ run, costOf });
    expect(allowance.isLimited).toBe(false);
    const permit = await allowance.reserve(callOf('Do it.', undefined), signal);
    expect(permit).toMatchObject({ maxOutputTokens: undefined, assertCovers: undefined });
    permit.settle({ inputTokens: 1_000_000, outputTokens: 0 }, true);
    (await allowance.reserve(callOf('Do it.'), signal, 'recording')).settle({ inputTokens: 1_000_000 }, true);
    (await allowance.reserve(callOf('Do it.'), signal)).settle(null, true);
    expect(run.spentUsd).toBe(3);
    expect(allowance.costOf(['m'], { inputTokens: 1_000_000 })).toBe(3);
    expect(allowance.costOf(['m'], null)).toBeUndefined();
  });

  it('shares the limit of a run between trials, and counts each call once', async () => {
    const run = new Spending(0.05);
    const [one, other] = [new Allowance({ run, costOf }), new Allowance({ run, costOf })];
    expect(one.isLimited).toBe(true);
    (await one.reserve(callOf('Do it.'), signal)).settle({ inputTokens: 0, outputTokens: 2_000 }, true);
    expect(run.spentUsd).toBeCloseTo(0.03, 9);
    await expect(other.reserve(callOf('Do it.', 2_000), signal)).resolves.toMatchObject({
      maxOutputTokens: expect.any(Number),
    });
    await expect(new Allowance({ run: new Spending(0.001), costOf }).reserve(callOf('Do it.'), signal)).rejects.toThrow(
      'the limit for the whole run',
    );
  });

  it('counts what was paid before its process ended, and refuses none of it', async () => {
    const run = new Spending(0.01);
    const allowance = new Allowance({ run, maxTokens: 3_000, costOf });
    const permit = await allowance.reserve(callOf('Do it.'), signal, 'trial');
    expect(permit).toMatchObject({ maxOutputTokens: undefined, assertCovers: undefined });
    permit.settle({ inputTokens: 0, outputTokens: 2_000 }, true);
    expect(run.spentUsd).toBeCloseTo(0.03, 9);
    await expect(allowance.reserve(callOf('Do it.'), signal)).rejects.toMatchObject(refused);
    const unlimited = new Spending(undefined);
    const counting = await new Allowance({ run: unlimited, costOf }).reserve(callOf('Do it.'), signal, 'trial');
    counting.settle({ inputTokens: 1_000_000 }, true);
    expect(unlimited.spentUsd).toBe(3);
  });

  it('lets recorded calls through a limit of money, not through one of tokens', async () => {
    const money = new Allowance({ maxUsd: 0.000_001, costOf });
    await expect(money.reserve(callOf('Do it.'), signal, 'recording')).resolves.toMatchObject({
      maxOutputTokens: undefined,
    });
    const few = new Allowance({ maxTokens: 10, costOf });
    await expect(few.reserve(callOf('Do it.'), signal, 'recording')).rejects.toMatchObject(refused);
  });
});

it('thinking stays below a limit that was lowered', () => {
  const body = { model: 'm', max_tokens: 32_000, thinking: { type: 'enabled', budget_tokens: 31_999 }, messages: [] };
  expect(anthropicMessages.withMaxOutputTokens(body, 9_000)).toMatchObject({
    max_tokens: 9_000,
    thinking: { budget_tokens: 7_976 },
  });
  expect(anthropicMessages.withMaxOutputTokens({ ...body, thinking: undefined }, 9_000)).toMatchObject({
    max_tokens: 9_000,
  });
});
