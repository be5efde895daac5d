import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelsConfigSchema } from './models-config.ts';
import { costUsd, findPrice, type Price, priceTableVersion } from './prices.ts';

const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
const gpt = { name: 'openai/gpt-4o-mini', model: 'gpt-4o-mini', priceName: 'openai', baseUrl: undefined };

async function priceOf(wanted: Partial<typeof gpt> & object, prices: unknown = {}): Promise<Price | null> {
  return findPrice({ ...gpt, ...wanted }, modelsConfigSchema.parse({ prices }).prices);
}

async function costOf(prices: unknown, usage = million): Promise<number> {
  const price = await priceOf({}, prices);
  return price ? costUsd(price, usage) : Number.NaN;
}

describe('prices', () => {
  it('come from the bundled table, whose version is known', async () => {
    expect(await costOf({})).toBeCloseTo(0.15 + 0.6, 9);
    const { version } = JSON.parse(readFileSync('node_modules/@pydantic/genai-prices/package.json', 'utf8'));
    expect(priceTableVersion).toBe(`@pydantic/genai-prices ${version}`);
  });

  it.each([
    ['for a million tokens', { 'openai/gpt-4o-mini': { inputPer1M: 3, outputPer1M: 4 } }],
    ['by the bare name', { 'gpt-4o-mini': { inputPer1M: 3, outputPer1M: 4 } }],
  ])('of the config go before the table: %s', async (_, prices) => {
    expect(await costOf(prices)).toBeCloseTo(7, 9);
  });

  it('may be lower for what the provider had cached', async () => {
    const usage = { inputTokens: 1_000, outputTokens: 0, cachedInputTokens: 400 };
    const own = { 'gpt-4o-mini': { inputPer1M: 10, outputPer1M: 1, cachedInputPer1M: 1 } };
    expect(await costOf(own, usage)).toBeCloseTo((600 * 10 + 400 * 1) / 1e6, 12);
    expect(await costOf({ 'gpt-4o-mini': { inputPer1M: 10, outputPer1M: 1 } }, usage)).toBeCloseTo(0.01, 12);
    expect(await costOf({}, usage)).toBeCloseTo((600 * 0.15 + 400 * 0.075) / 1e6, 12);
  });

  it('rise for the whole call where a long input costs more', async () => {
    const gemini = { name: 'google/gemini-2.5-pro', model: 'gemini-2.5-pro', priceName: 'google', baseUrl: undefined };
    const price = await findPrice(gemini, {});
    const at = (inputTokens: number) => (price ? costUsd(price, { inputTokens, outputTokens: 1_000 }) : Number.NaN);
    expect(at(200_000)).toBeCloseTo((200_000 * 1.25 + 1_000 * 10) / 1e6, 9);
    expect(at(200_001)).toBeCloseTo((200_001 * 2.5 + 1_000 * 15) / 1e6, 9);
  });

  it('of a server of the user are known by its URL, never by its name', async () => {
    const groq = { model: 'llama-3.3-70b-versatile', baseUrl: 'https://api.groq.com/openai/v1' };
    const at = (baseUrl: string) =>
      findPrice({ name: `openai-local/${groq.model}`, model: groq.model, priceName: undefined, baseUrl }, {});
    expect((await at(groq.baseUrl))?.source).toBe('table');
    expect(await at('http://localhost:11434/v1')).toBeNull();
  });

  it('are null for an unknown model', async () => {
    expect(await priceOf({ name: 'openai/no-such-model', model: 'no-such-model' })).toBeNull();
  });

  it.each([{ inputPer1M: 1 }, { outputPer1M: 1 }, { inputPer1M: -1, outputPer1M: 1 }, { inputPerMillion: 1 }])(
    'are refused when they are not complete: %j',
    (price) => {
      expect(modelsConfigSchema.safeParse({ prices: { m: price } }).success).toBe(false);
    },
  );
});
