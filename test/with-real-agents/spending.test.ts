import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../src/domain/errors.ts';
import type { Usage } from '../../src/domain/usage.ts';
import { Allowance } from '../../src/drive/gateway/allowance.ts';
import { gatewayApis } from '../../src/drive/gateway/gateway-apis.ts';
import type { JsonObject } from '../../src/drive/wire/codec.ts';
import { doTask, goOn, runTask } from './agent-task.ts';
import { type InstalledAgent, installedAgents } from './installed-agents.ts';

const limitUsd = 0.5;
/** USD of a million tokens, as a large model costs. */
const price = { inputPer1M: 3, outputPer1M: 15 };
const spending = { cost: { max_usd: limitUsd }, models: { prices: { 'test-model': price } } };

const costOf = (_model: string, { inputTokens = 0, outputTokens = 0 }: Usage): number =>
  (inputTokens * price.inputPer1M + outputTokens * price.outputPer1M) / 1e6;

/** Bytes for each token of requests of agents, with the tokenisers of providers. */
const bytesPerToken = 3.2;

/** The requests of a session that does not end, as the agent sent them. */
async function requestsOf(agent: InstalledAgent) {
  const { trace, artifacts } = await runTask(agent, { script: goOn(agent), by: 'config', maxTurns: 40 });
  const folder = join(artifacts, 'model-calls');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.request.json')).sort();
  const calls = trace.flatMap((event) => (event.type === 'model-call' ? [event] : []));
  return Promise.all(
    names.map(async (name, index) => {
      const text = await readFile(join(folder, name), 'utf8');
      const api = gatewayApis.find((each) => each.name === calls[index]?.api);
      if (!api) throw new Error(`The call of ${name} is not in the trace.`);
      const request = api.readRequest(JSON.parse(text) as JsonObject, `/models/m:streamGenerateContent`);
      return { body: Buffer.from(text), request, thread: calls[index]?.agentThread ?? 0 };
    }),
  );
}

async function spend(requests: Awaited<ReturnType<typeof requestsOf>>) {
  const allowance = new Allowance({ maxUsd: limitUsd, costOf });
  let [spentUsd, calls] = [0, 0];
  try {
    for (const request of requests) {
      const leave = await allowance.reserve({ models: ['m'], ...request }, AbortSignal.timeout(60_000));
      const inputTokens = Math.ceil(request.body.length / bytesPerToken);
      const outputTokens = Math.min(400 + (calls % 3) * 300, leave.maxOutputTokens ?? Number.POSITIVE_INFINITY);
      leave.settle({ inputTokens, outputTokens }, true);
      spentUsd += costOf('m', { inputTokens, outputTokens });
      calls++;
    }
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    return { spentUsd, calls, isStopped: true };
  }
  return { spentUsd, calls, isStopped: false };
}

describe.each(installedAgents())('$name $version under a limit of half a dollar', (agent) => {
  it('does its task', async () => {
    const { trial } = await runTask(agent, { script: doTask(agent), by: 'config', spending });
    expect(trial).toMatchObject({ outcome: 'pass' });
  });

  it('can use four fifths of it, and never more than all', async () => {
    const requests = await requestsOf(agent);
    const { spentUsd, calls, isStopped } = await spend(requests);
    // Agents also request titles and the like.
    const { body, request } = requests.find(({ request: { tools } }) => tools.length > 0) ?? {};
    console.log(
      `${agent.name} ${agent.version}: ${calls} of ${requests.length} requests, $${spentUsd.toFixed(3)}; ` +
        `the first with tools has ${body?.length} bytes, its reply at most ${request?.maxOutputTokens} tokens`,
    );
    expect(isStopped).toBe(true);
    expect(spentUsd).toBeGreaterThanOrEqual(0.8 * limitUsd);
    expect(spentUsd).toBeLessThanOrEqual(limitUsd);
  });
});
