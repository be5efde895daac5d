import type { IncomingHttpHeaders } from 'node:http';
import { expect, it } from 'vitest';
import { runConversation } from '../../src/testing/support/conversation-run.ts';
import { bodyOf, serve } from '../../src/testing/support/http-server.ts';
import { scripted } from '../../src/testing/support/models.ts';

const key = 'azure-key-0123456789';

const scenario = {
  name: 'Hello',
  connector: { type: 'model', config: { model: 'azure/my-deployment' } },
  userMessages: ['Hello'],
  evaluators: [{ type: 'contains', config: { text: 'Hi' } }],
};

it('reaches Azure OpenAI at its v1 API, with the key in the header of Azure', async () => {
  const requests: { url: string | undefined; headers: IncomingHttpHeaders; model: unknown }[] = [];
  const endpoint = await serve(async (request, response) => {
    requests.push({ url: request.url, headers: request.headers, model: JSON.parse(await bodyOf(request)).model });
    const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'x', created: 1, model: 'gpt-4o', choices: [choice], usage }));
  });
  const env = { AZURE_OPENAI_ENDPOINT: endpoint, AZURE_OPENAI_API_KEY: key };
  const { trial, trace } = await runConversation(scenario, { env });
  expect(trial).toMatchObject({ outcome: 'pass', usage: { inputTokens: 3, outputTokens: 1 } });
  expect(requests).toMatchObject([
    { url: '/openai/v1/chat/completions', model: 'my-deployment', headers: { 'api-key': key } },
  ]);
  expect(requests[0]?.headers).not.toHaveProperty('authorization');
  expect(JSON.stringify(trace)).not.toContain(key);
});

it('answers from the scripted model, which stands at an address with its own path', async () => {
  const { url } = await scripted({ rules: [{ when: { model: 'my-deployment' }, reply: 'Hi' }] });
  const env = { AZURE_OPENAI_ENDPOINT: `${url}/v1`, AZURE_API_KEY: key };
  expect((await runConversation(scenario, { env })).trial.outcome).toBe('pass');
});

it('is not available without its key or its endpoint', async () => {
  const noKey = await runConversation(scenario, { env: { AZURE_OPENAI_ENDPOINT: 'http://127.0.0.1:9' } });
  expect(noKey.trial).toMatchObject({ outcome: 'error', reason: expect.stringContaining('AZURE_OPENAI_API_KEY') });
  const noEndpoint = await runConversation(scenario, { env: { AZURE_OPENAI_API_KEY: key } });
  expect(noEndpoint.trial).toMatchObject({ outcome: 'error', reason: expect.stringContaining('baseUrl') });
});
