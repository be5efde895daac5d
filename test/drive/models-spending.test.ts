import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asAssayError } from '../../src/domain/errors.ts';
import { Spending } from '../../src/drive/models/spending.ts';
import { ask, failureOf, keys, opened, question, scripted, skippingClock } from '../../src/testing/support/models.ts';

const perCall = { inputPer1M: 0, outputPer1M: 1_000 };
/** At these prices a call of at most 10 tokens costs at most a cent. */
const request = question('Hi', { maxOutputTokens: 10 });

async function project(output: number, maxUsd: number, rules: Parameters<typeof scripted>[0]['rules'] = []) {
  const server = await scripted({ rules: [...rules, { reply: 'ok', usage: { input: 5, output } }] });
  const config = { prices: { 'openai/gpt-4o': perCall } };
  const models = opened({ config, env: { ...server.environment, ...keys }, maxUsd, clock: skippingClock() });
  return { server, models };
}

describe('a spending limit', () => {
  it('is never passed, and stops no call that fits, whatever is in flight', async () => {
    const { server, models } = await project(10, 0.105);
    const asked = Array.from({ length: 50 }, () => ask(models, 'gpt-4o', request).catch(asAssayError));
    const codes = (await Promise.all(asked)).flatMap((end) => ('code' in end ? [end.code] : []));
    expect(server.log()).toHaveLength(10);
    expect(codes).toEqual(Array.from({ length: 40 }, () => 'MODEL_BUDGET_REACHED'));
    expect(models.spentUsd()).toBeCloseTo(0.1, 9);
  });

  it('counts what calls really cost, not what they could have cost', async () => {
    const { server, models } = await project(1, 0.0205);
    const asked = Array.from({ length: 50 }, () => ask(models, 'gpt-4o', request).catch(asAssayError));
    await Promise.all(asked);
    expect(server.log()).toHaveLength(11);
    expect(models.spentUsd()).toBeCloseTo(0.011, 9);
  });

  it('refuses a call that alone could pass it, before it is made', async () => {
    const { server, models } = await project(1, 0.0099);
    const failure = await failureOf(ask(models, 'gpt-4o', request));
    expect(failure.code).toBe('MODEL_BUDGET_REACHED');
    expect(failure.message).toContain('openai/gpt-4o may cost $0.010000; $0.000000 of $0.009900 are spent');
    expect(server.log()).toEqual([]);
  });

  it('bounds a reply that the request does not bound', async () => {
    const { server, models } = await project(1, 8.2);
    await ask(models, 'gpt-4o', question('Hi'));
    expect((await failureOf(ask(models, 'gpt-4o', question('Hi', { maxOutputTokens: 8_200 })))).code).toBe(
      'MODEL_BUDGET_REACHED',
    );
    expect(server.log()).toHaveLength(1);
  });

  it('takes attempts that may have been billed for spent, and those that were not for free', async () => {
    const unbilled = await project(1, 0.015, [{ fault: { status: 500 }, times: 3 }]);
    await ask(unbilled.models, 'gpt-4o', request);
    expect(unbilled.server.log()).toHaveLength(4);
    const doubtful = await project(1, 0.015, [{ fault: 'junk', times: 1 }]);
    expect((await failureOf(ask(doubtful.models, 'gpt-4o', request))).code).toBe('MODEL_BUDGET_REACHED');
    expect(doubtful.models.spentUsd()).toBe(0);
  });

  it('needs a price', async () => {
    const config = { providers: { local: { baseUrl: 'http://127.0.0.1:1' } } };
    const failure = await failureOf(ask(opened({ config, env: {}, maxUsd: 1 }), 'local/llama3', request));
    expect(failure).toMatchObject({
      code: 'MODEL_NO_PRICE',
      exitCode: 2,
      hint: expect.stringContaining('models.prices'),
    });
  });
});

describe('Spending', () => {
  it('holds under any interleaving', async () => {
    const call = fc.record({
      most: fc.integer({ min: 1, max: 50 }),
      share: fc.integer({ min: 0, max: 100 }),
      ticks: fc.nat(5),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 30 }), fc.integer({ min: 1, max: 200 }), async (calls, limit) => {
        const spending = new Spending(limit);
        const never = new AbortController().signal;
        let refusedMost = Number.POSITIVE_INFINITY;
        const spend = async ({ most, share, ticks }: (typeof calls)[number]): Promise<void> => {
          const reservation = await spending.reserve(most, 'any/model', never);
          for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
          spending.settle(reservation, (most * share) / 100);
        };
        await Promise.all(
          calls.map((each) =>
            spend(each).catch(() => {
              refusedMost = Math.min(refusedMost, each.most);
            }),
          ),
        );
        expect(spending.spentUsd).toBeLessThanOrEqual(limit);
        expect(spending.spentUsd + refusedMost).toBeGreaterThan(limit);
      }),
      { seed: 11, numRuns: 200 },
    );
  });
});
