import type { LoggedRequest } from '../../src/drive/models/scripted/request-log.ts';
import type { ScriptSource } from '../../src/drive/models/scripted/script.ts';

const weatherIn = (city: string) => ({ name: 'weather', input: { city } });

/** Every reply has its own token counts, so one that is lost or counted twice shows. */
export const weatherScript: ScriptSource = {
  rules: [
    {
      when: { toolResult: '/no such city|error/i' },
      reply: 'There is no such city.',
      usage: { input: 41, output: 6 },
    },
    { when: { toolResult: 'rainy' }, reply: 'Sunny in Rome, rainy in Oslo.', usage: { input: 52, output: 9 } },
    { when: { toolResult: 'sunny' }, reply: 'It is sunny in Rome.', usage: { input: 33, output: 7 } },
    { when: { last: 'Pluto' }, fault: { status: 400 } },
    {
      when: { last: 'Rome and Oslo' },
      reply: 'Two cities.',
      toolCalls: [weatherIn('Rome'), weatherIn('Oslo')],
      usage: { input: 24, output: 8 },
    },
    { when: { last: 'Rome' }, toolCalls: [weatherIn('Rome')], usage: { input: 21, output: 4 } },
    { when: { last: 'Atlantis' }, toolCalls: [weatherIn('Atlantis')], usage: { input: 22, output: 5 } },
  ],
};

/** A conversation as the model had it. */
export interface Served {
  readonly texts: readonly string[];
  readonly calls: readonly { readonly callId: string; readonly tool: string; readonly input: unknown }[];
  readonly results: readonly (readonly [callId: string, result: unknown])[];
  readonly tokens: readonly (readonly number[])[];
}

/** What the model served in the conversation that began with a question. */
export function served(log: readonly LoggedRequest[], question: string): Served {
  const requests = log.filter(({ conversation }) => conversation?.messages[0]?.content === question);
  const last = requests.at(-1);
  const messages = last?.conversation?.messages ?? [];
  const replies = requests.flatMap(({ reply }) => reply ?? []);
  const spoken = messages.flatMap(({ role, content }) =>
    role === 'tool' || content === '' ? [] : [`${role}: ${content}`],
  );
  return {
    texts: [`system: ${last?.conversation?.system}`, ...spoken, `assistant: ${last?.reply?.text}`],
    calls: replies.flatMap(({ toolCalls }) => toolCalls.map(({ callId, tool, input }) => ({ callId, tool, input }))),
    results: messages.flatMap((message) =>
      message.role === 'tool' ? [[message.callId, message.content] as const] : [],
    ),
    tokens: replies.map(({ usage }) => [usage.inputTokens, usage.outputTokens]),
  };
}
