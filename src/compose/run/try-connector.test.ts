import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { modelsConfigSchema } from '../../drive/models/models-config.ts';
import { startScriptedModel } from '../../drive/models/scripted/index.ts';
import { defaultConfig } from '../config/default-config.ts';
import { registeredParts } from '../parts.ts';
import { tryConnector } from './try-connector.ts';

async function silentAgent() {
  const server = createServer((request) => request.resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function asking(
  baseUrl: string,
  more: { readonly timeoutMs?: number; readonly signal?: AbortSignal; readonly name?: string },
) {
  const config = { ...defaultConfig, connectors: { agent: { type: 'http', baseUrl, headers: {} } } };
  const project = { config, folder: process.cwd(), configFile: undefined, parts: registeredParts };
  const signal = new AbortController().signal;
  return tryConnector(project, { name: 'agent', message: 'Hello', timeoutMs: 60_000, env: {}, signal, ...more });
}

describe('trying a connector', () => {
  it('gives up on an agent that does not answer in time', async () => {
    await using agent = await silentAgent();
    await expect(asking(agent.url, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'TARGET_TIMEOUT',
      hint: expect.stringContaining('is running'),
    });
  });

  it('ends when its caller stops waiting', async () => {
    await using agent = await silentAgent();
    const leaving = new AbortController();
    const attempt = asking(agent.url, { signal: leaving.signal });
    leaving.abort();
    await expect(attempt).rejects.toBeInstanceOf(Error);
  });

  it('prompts a model with the providers of the config', async () => {
    await using model = await startScriptedModel({ rules: [{ reply: 'Good morning' }] });
    const providers = { house: { baseUrl: `${model.url}/v1`, apiKey: 'secret' } };
    const config = {
      ...defaultConfig,
      models: modelsConfigSchema.parse({ providers }),
      connectors: { bare: { type: 'model', headers: {}, config: { model: 'house/small' } } },
    };
    const project = { config, folder: process.cwd(), configFile: undefined, parts: registeredParts };
    const { signal } = new AbortController();
    const trial = { name: 'bare', message: 'Hello', timeoutMs: 60_000, env: {}, signal };
    const { messages } = await tryConnector(project, trial);
    expect(messages).toMatchObject([{ role: 'assistant', content: 'Good morning' }]);
  });

  it('says which connector is not there', async () => {
    await expect(asking('http://127.0.0.1:1', { name: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
