import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, type LanguageModel, Output, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type ScriptedModel, type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';

interface Client {
  readonly path: string;
  readonly client: string;
  /** A model that is asked at a server. */
  model(url: string, apiKey: string): LanguageModel;
}

const clients: readonly Client[] = [
  {
    path: 'chat',
    client: 'openai',
    model: (url, apiKey) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat('asked-for'),
  },
  {
    path: 'chat',
    client: 'openai-compatible',
    model: (url, apiKey) =>
      createOpenAICompatible({ name: 'x', baseURL: url, apiKey, includeUsage: true, supportsStructuredOutputs: true })(
        'asked-for',
      ),
  },
  {
    path: 'responses',
    client: 'openai',
    model: (url, apiKey) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses('asked-for'),
  },
  {
    path: 'messages',
    client: 'anthropic',
    model: (url, apiKey) => createAnthropic({ baseURL: `${url}/v1`, apiKey })('asked-for'),
  },
  {
    path: 'gemini',
    client: 'google',
    model: (url, apiKey) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })('asked-for'),
  },
];

/** Nothing is tried again, and a number of tokens is named because Anthropic's client warns without one. */
const limits = { maxRetries: 0, maxOutputTokens: 1_000 };

const tools = {
  weather: tool({
    description: 'Weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `18 degrees in ${city}`,
  }),
};

async function started(script: ScriptSource): Promise<ScriptedModel> {
  const scripted = await startScriptedModel(script);
  onTestFinished(() => scripted[Symbol.asyncDispose]());
  return scripted;
}

describe.each(clients)('$path, asked by $client', ({ path, model }) => {
  /** Asks in both ways; the answers must be the same. */
  async function askBoth(script: ScriptSource, request: { prompt: string; withTools?: boolean; apiKey?: string }) {
    const server = await started(script);
    const settings = {
      model: model(server.url, request.apiKey ?? 'any'),
      prompt: request.prompt,
      system: 'You are terse.',
      ...limits,
      stopWhen: stepCountIs(3),
      ...(request.withTools && { tools }),
    };
    const whole = await generateText(settings);
    server.reset();
    const streamed = streamText({ ...settings, onError: () => undefined });
    const pieces: string[] = [];
    for await (const piece of streamed.textStream) pieces.push(piece);
    const answers = [
      { text: whole.text, steps: whole.steps, usage: whole.usage, response: whole.response },
      {
        text: pieces.join(''),
        steps: await streamed.steps,
        usage: await streamed.usage,
        response: await streamed.response,
      },
    ] as const;
    return { server, answers, pieces };
  }

  it('gets a text, its usage and the name of the model, whole and streamed', async () => {
    const script: ScriptSource = {
      model: 'scripted',
      rules: [
        {
          when: { path, last: 'Hello', system: 'terse' },
          reply: 'Good day 🎉 to you',
          usage: { input: 11, output: 7 },
        },
      ],
    };
    const { answers, pieces, server } = await askBoth(script, { prompt: 'Hello there' });
    for (const { text, usage, response, steps } of answers) {
      expect(text).toBe('Good day 🎉 to you');
      expect(usage).toMatchObject({ inputTokens: 11, outputTokens: 7 });
      expect(steps[0]?.finishReason).toBe('stop');
      expect(response.modelId).toBe(path === 'gemini' ? 'asked-for' : 'scripted');
    }
    expect(pieces).toHaveLength(3);
    expect(server.log()).toMatchObject([
      {
        path,
        rule: 1,
        hasKey: true,
        conversation: { model: 'asked-for', isStreaming: true, last: 'Hello there', turn: 1 },
      },
    ]);
  });

  it('estimates the usage when the script does not give it', async () => {
    const { answers } = await askBoth({ rules: [{ reply: 'x'.repeat(40) }] }, { prompt: 'y'.repeat(66) });
    for (const { usage } of answers) expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });

  it('calls tools, gives their results back and gets the last word', async () => {
    const script: ScriptSource = {
      rules: [
        { when: { toolResult: '/(\\d+) degrees/', turn: 2 }, reply: 'It is {{match.1}}.' },
        {
          when: { tool: 'weather', last: '/in (\\w+) and (\\w+)/' },
          reply: 'Let me see.',
          toolCalls: [
            { name: 'weather', input: { city: '{{match.1}}' } },
            { name: 'weather', input: { city: '{{match.2}}' } },
          ],
        },
      ],
    };
    const { answers, server } = await askBoth(script, { prompt: 'Weather in Paris and Rome?', withTools: true });
    for (const { steps } of answers) {
      expect(steps.map((step) => [step.finishReason, step.text])).toEqual([
        ['tool-calls', 'Let me see.'],
        ['stop', 'It is 18.'],
      ]);
      expect(steps[0]?.toolCalls.map((call) => call.input)).toEqual([{ city: 'Paris' }, { city: 'Rome' }]);
    }
    expect(server.log()[1]?.conversation).toMatchObject({
      last: 'Weather in Paris and Rome?',
      toolResult: '18 degrees in Paris\n18 degrees in Rome',
      turn: 2,
      tools: [{ name: 'weather' }],
    });
    expect(server.log()[1]?.conversation?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
    ]);
  });

  it('calls a tool without a word', async () => {
    const script: ScriptSource = {
      rules: [{ when: { turn: 2 }, reply: 'done' }, { toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }] }],
    };
    const { answers } = await askBoth(script, { prompt: 'Weather?', withTools: true });
    for (const { steps } of answers) expect(steps.map(({ text }) => text)).toEqual(['', 'done']);
  });

  it('gets JSON when it asks for some', async () => {
    const server = await started({
      rules: [{ reply: { json: { city: '{{match.1}}', degrees: 18 } }, when: { last: '/in (.*)$/' } }],
    });
    const schema = z.object({ city: z.string(), degrees: z.number() });
    const { output } = await generateText({
      model: model(server.url, 'any'),
      prompt: 'Weather in "Paris"',
      output: Output.object({ schema }),
      ...limits,
    });
    expect(output).toEqual({ city: '"Paris"', degrees: 18 });
  });

  it.each([
    [429, true],
    [500, true],
    [503, true],
    [400, false],
    [401, false],
  ])('understands status %i', async (status, isRetryable) => {
    const server = await started({ rules: [{ fault: { status, retryAfter: 2 } }] });
    const settings = { model: model(server.url, 'any'), prompt: 'Hello', ...limits };
    const seen: unknown[] = [];
    await generateText(settings).catch((error: unknown) => seen.push(error));
    await streamText({ ...settings, onError: ({ error }) => void seen.push(error) }).consumeStream();
    expect(seen).toHaveLength(2);
    for (const error of seen) {
      expect(error).toBeInstanceOf(APICallError);
      expect(error).toMatchObject({ statusCode: status, isRetryable, message: `The script answers with ${status}.` });
      expect((error as APICallError).responseHeaders?.['retry-after']).toBe('2');
    }
  });

  it('is told when a rule is missing', async () => {
    const server = await started({ rules: [{ when: { last: 'Hello' }, reply: 'x' }] });
    const asking = generateText({ model: model(server.url, 'any'), prompt: 'Good bye', ...limits });
    await expect(asking).rejects.toMatchObject({
      statusCode: 500,
      message: `No rule of the script answers this (${path}, model asked-for, turn 1): "Good bye"`,
    });
    expect(server.log()).toMatchObject([{ rule: null, conversation: { last: 'Good bye' } }]);
  });

  it('needs the key of the script', async () => {
    const script: ScriptSource = { apiKey: 'the-right-key', rules: [{ reply: 'welcome' }] };
    const { answers, server } = await askBoth(script, { prompt: 'Hello', apiKey: 'the-right-key' });
    expect(answers.map(({ text }) => text)).toEqual(['welcome', 'welcome']);
    const asking = generateText({ model: model(server.url, 'the-wrong-key'), prompt: 'Hello', ...limits });
    await expect(asking).rejects.toMatchObject({ statusCode: 401, isRetryable: false });
    expect(server.log().map(({ hasKey, conversation }) => [hasKey, conversation !== null])).toEqual([
      [true, true],
      [true, false],
    ]);
    expect(JSON.stringify(server.log())).not.toMatch(/the-(right|wrong)-key/);
  });

  it.each(['reset', 'junk', 'halfJson', 'html', 'empty'] as const)('gets no answer from %s', async (fault) => {
    const server = await started({ rules: [{ reply: 'a text of some length', fault }] });
    const settings = { model: model(server.url, 'any'), prompt: 'Hello', ...limits };
    await expect(generateText(settings)).rejects.toThrow();
    const streamed = streamText({ ...settings, onError: () => undefined });
    await streamed.consumeStream({ onError: () => undefined });
    expect(await Promise.resolve(streamed.finishReason).catch(() => 'none')).not.toBe('stop');
    expect(server.log().map((request) => request.fault)).toEqual([fault, fault]);
  });
});

describe('a conversation that OpenAI keeps', () => {
  it('is found again by the id of the response', async () => {
    const server = await started({ rules: [{ reply: 'reply {{turn}} to {{last}}' }] });
    const responses = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any' }).responses('m');
    const first = await generateText({ model: responses, prompt: 'one', ...limits });
    const previousResponseId = String(first.providerMetadata?.openai?.responseId);
    const ask = (id: string) =>
      generateText({
        model: responses,
        prompt: 'two',
        ...limits,
        providerOptions: { openai: { previousResponseId: id } },
      });
    expect((await ask(previousResponseId)).text).toBe('reply 2 to two');
    expect(server.log()[1]?.conversation?.messages.map(({ content }) => content)).toEqual([
      'one',
      'reply 1 to one',
      'two',
    ]);
    await expect(ask('resp_of_another')).rejects.toMatchObject({ statusCode: 400 });
  });
});
