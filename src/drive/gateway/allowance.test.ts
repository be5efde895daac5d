import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import type { Usage } from '../../domain/usage.ts';
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
