import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { criteriaReply, judgedScenario } from '../../src/testing/support/judged-project.ts';
import { meteredModel, meteredPrices } from '../../src/testing/support/metered-model.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

type Metered = Awaited<ReturnType<typeof meteredModel>>;

const replyUsd = 0.05;
/** What the judge may write is much, so what it writes is cheap. */
const judgePrices = { inputPer1M: 0, outputPer1M: 10 };
const config = { models: { prices: { 'openai/metered': meteredPrices, 'openai/cheap': judgePrices } } };
const judge = { model: 'openai/cheap', successCriteria: 'The answer names Paris' };
const tool = "export const answer = () => ({ text: 'Paris is the capital of France.' });\n";

/** A conversation of one turn with a model behind the `openai-chat` connector, as often as wanted. */
function chat(baseUrl: string, repeat: number, rest: Record<string, unknown> = {}) {
  return {
    name: 'Chat',
    repeat,
    connector: { type: 'openai-chat', baseUrl, config: { model: 'metered', maxTokens: 60 } },
    userMessages: ['Hello'],
    evaluators: [{ type: 'contains', config: { text: 'Hi' } }],
    ...rest,
  };
}

async function run(scenario: unknown, { env }: Pick<Metered, 'env'>, flags: readonly string[] = []) {
  const folder = await temporaryFolder({
    's.json': typeof scenario === 'string' ? scenario : JSON.stringify(scenario),
    'tool.mjs': tool,
    'assay.config.json': JSON.stringify(config),
  });
  const result = await assay(['run', 's.json', '--json', '--no-cache', ...flags], { cwd: folder, env });
  const document = result.stdout.startsWith('{') ? JSON.parse(result.stdout) : undefined;
  return { ...result, document, trials: (document?.trials ?? []) as Record<string, unknown>[] };
}

describe('the account of a run', () => {
  it('holds what a model behind a connector cost, as its server billed it', async () => {
    const model = await meteredModel();
    const { exitCode, document, trials } = await run(chat(model.url, 3), model);
    expect(exitCode).toBe(0);
    expect(document.costUsd).toBeCloseTo(model.billedTokens() / 1_000, 9);
    expect(trials).toHaveLength(3);
    for (const trial of trials) {
      expect(trial).toMatchObject({ costUsd: replyUsd, costs: { targetUsd: replyUsd, personaUsd: 0, judgeUsd: 0 } });
    }
  });

  it('counts each reply once against the limit', async () => {
    const model = await meteredModel();
    const { exitCode, trials } = await run(chat(model.url, 3), model, ['--max-usd', '0.2', '--concurrency', '1']);
    expect(trials.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass']);
    expect(exitCode).toBe(0);
  });

  it('is split into target, persona and judge', async () => {
    const persona = { reason: 'Bored.', message: 'Hello', isDone: false };
    const judged = { ...criteriaReply('met', 'Hi', 'e4') };
    const model = await meteredModel({
      textFor: ({ messages }) => {
        const text = JSON.stringify(messages);
        return text.includes('success-1')
          ? JSON.stringify(judged)
          : text.includes('Ann')
            ? JSON.stringify(persona)
            : 'Hi';
      },
    });
    const scenario = chat(model.url, 1, {
      userMessages: undefined,
      maxMessages: 2,
      personas: [{ name: 'Ann', description: 'wants a greeting', model: 'openai/metered' }],
      evaluators: [{ type: 'llm-judge', config: { successCriteria: 'The agent greets' } }],
    });
    const { trials, stderr, stdout } = await run(scenario, model, ['--judge-model', 'openai/metered']);
    expect(trials, stderr + stdout).toHaveLength(1);
    const { costs, costUsd } = trials[0] as { costs: Record<string, number>; costUsd: number };
    expect(costs.targetUsd).toBeCloseTo(replyUsd, 9);
    expect(costs.personaUsd).toBeGreaterThan(0);
    expect(costs.judgeUsd).toBeGreaterThan(0);
    expect(costUsd).toBeCloseTo(model.billedTokens() / 1_000, 9);
  });
});

describe('a spending limit', () => {
  it('keeps a connector from being asked when that could cost more', async () => {
    const model = await meteredModel();
    const { exitCode, trials } = await run(chat(model.url, 3), model, ['--max-usd', '0.001']);
    expect(model.bodies).toEqual([]);
    expect(exitCode).toBe(3);
    for (const trial of trials) {
      expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'MODEL_BUDGET_REACHED' }, costUsd: 0 });
    }
  });

  it.each([
    ['connector', 'openai/unpriced', { connectorModel: 'unpriced', judgeModel: 'openai/metered' }],
    ['judge', 'openai/unpriced', { connectorModel: 'metered', judgeModel: 'openai/unpriced' }],
  ])('is refused with exit code 2 before anything is spent when the %s has no price', async (_, name, models) => {
    const model = await meteredModel();
    const scenario = chat(model.url, 1, {
      connector: { type: 'openai-chat', baseUrl: model.url, config: { model: models.connectorModel } },
      evaluators: [{ type: 'llm-judge', config: { successCriteria: 'The agent greets' } }],
    });
    const result = await run(scenario, model, ['--max-usd', '5', '--judge-model', models.judgeModel]);
    expect(result.exitCode).toBe(2);
    expect(model.bodies).toEqual([]);
    expect(result.stderr).toContain(`The price of ${name} is not known`);
    expect(result.stderr).toContain('models.prices');
  });

  it('bounds the answer of a connector that sets no bound itself', async () => {
    const model = await meteredModel();
    const scenario = chat(model.url, 1, {
      connector: { type: 'openai-chat', baseUrl: model.url, config: { model: 'metered' } },
    });
    await run(scenario, model, ['--max-usd', '10']);
    expect(model.bodies).toMatchObject([{ max_tokens: 8_192 }]);
    const free = await meteredModel();
    await run({ ...scenario, connector: { ...scenario.connector, baseUrl: free.url } }, free);
    expect(free.bodies[0]).not.toHaveProperty('max_tokens');
  });

  it('is not passed by connectors, 32 at a time, whose connections are dropped', async () => {
    const model = await meteredModel({ isDropped: (request) => request % 3 === 0 });
    const flags = ['--max-usd', '1.5', '--concurrency', '32'];
    const { exitCode, document, trials } = await run(chat(model.url, 80), model, flags);
    expect(exitCode).toBe(3);
    expect(model.billedTokens() / 1_000).toBeLessThanOrEqual(1.5);
    expect(model.billedTokens() / 1_000).toBeGreaterThan(0.5);
    const lost = trials.filter(({ fault }) => (fault as { code?: string } | undefined)?.code === 'TARGET_UNREACHABLE');
    expect(lost.length).toBeGreaterThan(0);
    for (const trial of lost) expect(trial).toMatchObject({ outcome: 'error', costUsd: null });
    expect(document.costUsd).toBeNull();
    const paid = trials.filter(({ outcome }) => outcome === 'pass').length;
    expect(paid + lost.length).toBe(model.bodies.length);
  });

  it('is not passed by a judge, 32 at a time, whose connections are dropped', async () => {
    const model = await meteredModel({
      replyTokens: 2_400,
      isDropped: (request) => request % 3 === 0,
      textFor: () => JSON.stringify(criteriaReply('met')),
    });
    const scenario = { ...JSON.parse(judgedScenario(judge)), repeat: 80 };
    const flags = ['--max-usd', '1.5', '--concurrency', '32'];
    const { exitCode, document, trials } = await run(scenario, model, flags);
    expect(exitCode).toBe(3);
    expect(model.billedTokens() * 10e-6).toBeLessThanOrEqual(1.5);
    expect(model.bodies.length).toBeGreaterThan(0);
    expect(document.costUsd).toBeNull();
    expect(requestsIn(trials)).toBe(model.bodies.length);
  });
});

describe('a prompt of the judge', () => {
  it('holds nothing that has the shape of a key', async () => {
    const model = await meteredModel({ textFor: () => JSON.stringify(criteriaReply('met')) });
    const key = ['AKIA', 'Q7RT3VX2ZLM5WNB8'].join('');
    const scenario = { ...JSON.parse(judgedScenario(judge)), input: { question: `Is ${key} a key?` } };
    const { trials } = await run(scenario, model);
    expect(trials[0]).toMatchObject({ outcome: 'pass' });
    expect(JSON.stringify(model.bodies)).toContain('a key?');
    expect(JSON.stringify(model.bodies)).not.toContain(key);
  });
});

describe('the bill of the judge', () => {
  it.each([[1], [2], [3]])('counts each of %i requests that the server read and dropped', async (dropped) => {
    const model = await meteredModel({
      isDropped: (request) => request <= dropped,
      textFor: () => JSON.stringify(criteriaReply('met')),
    });
    const { trials } = await run(judgedScenario(judge), model);
    expect(model.bodies).toHaveLength(dropped + 1);
    expect(trials[0]).toMatchObject({
      outcome: 'pass',
      costUsd: null,
      costs: { targetUsd: 0, judgeUsd: null },
      judge: { costUsd: null, unansweredRequests: dropped },
    });
  });

  it('never shows more than four requests for one question', async () => {
    const model = await meteredModel({ isDropped: () => true });
    const { exitCode, trials } = await run(judgedScenario(judge), model);
    expect(model.bodies).toHaveLength(4);
    expect(exitCode).toBe(3);
    expect(trials[0]).toMatchObject({
      outcome: 'error',
      fault: { code: 'MODEL_UNAVAILABLE' },
      costUsd: null,
      judge: { unansweredRequests: 4 },
    });
  });
});

/** Requests to the judge that the records account for: one for each verdict, and those without a reply. */
function requestsIn(trials: readonly Record<string, unknown>[]): number {
  return trials.reduce((sum, { judge }) => {
    const { state, unansweredRequests = 0 } = judge as { state: string; unansweredRequests?: number };
    return sum + unansweredRequests + (state === 'pass' ? 1 : 0);
  }, 0);
}
