import { fileURLToPath } from 'node:url';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type ModelMessage, stepCountIs, tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type ScriptedModel, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { loadModelScript } from '../../src/load/scripts.ts';

const folder = fileURLToPath(new URL('../../examples/fake-model/', import.meta.url));

async function started(file: string): Promise<ScriptedModel> {
  const scripted = await startScriptedModel(await loadModelScript(file, folder));
  onTestFinished(() => scripted[Symbol.asyncDispose]());
  return scripted;
}

const tools = {
  search_flights: tool({
    inputSchema: z.object({ to: z.string() }),
    execute: async ({ to }) => `AF-1180 to ${to}`,
  }),
  book_flight: tool({
    inputSchema: z.object({ flight: z.string() }),
    execute: async ({ flight }) => `booked BK-7 for ${flight}`,
  }),
};

describe('examples/fake-model', () => {
  it('travel.yaml holds a conversation with tools', async () => {
    const server = await started('travel.yaml');
    const model = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any' }).chat('any');
    const messages: ModelMessage[] = [];
    const say = async (content: string): Promise<string> => {
      messages.push({ role: 'user', content });
      const { text, response } = await generateText({ model, messages, tools, stopWhen: stepCountIs(5) });
      messages.push(...response.messages);
      return text;
    };
    expect(await say('Hello')).toBe('Where do you want to fly?');
    expect(await say('I need a flight to Paris')).toBe('There is AF-1180. Shall I book it?');
    expect(await say('Yes please')).toBe('Done. Your booking is BK-7.');
    expect(JSON.parse(await say('Answer as JSON'))).toEqual({ intent: 'smalltalk', said: 'Answer as JSON' });
  });

  it.each(['Bash', 'exec_command', 'run_shell_command', 'bash'])(
    'coding-agents.yaml tells an agent to use %s',
    async (name) => {
      const server = await started('coding-agents.yaml');
      const model = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any' }).responses('any');
      const commands: unknown[] = [];
      const shell = tool({
        inputSchema: z.record(z.string(), z.string()),
        execute: async (input) => {
          commands.push(input.command ?? input.cmd);
          return 'Hello from the shell';
        },
      });
      const { text } = await generateText({
        model,
        prompt: 'Make hello.txt',
        tools: { [name]: shell },
        stopWhen: stepCountIs(3),
      });
      expect(commands).toEqual([expect.stringContaining('cat hello.txt')]);
      expect(text).toBe('I made hello.txt and read it back.');
    },
  );
});
