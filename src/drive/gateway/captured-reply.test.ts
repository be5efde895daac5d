import { describe, expect, it } from 'vitest';
import { anthropicMessages } from '../wire/anthropic-messages/codec.ts';
import type { Codec } from '../wire/codec.ts';
import { gemini } from '../wire/gemini/codec.ts';
import { openaiChat } from '../wire/openai-chat/codec.ts';
import { openaiResponses } from '../wire/openai-responses/codec.ts';
import { readReply } from './captured-reply.ts';

const events = (...values: readonly object[]): string =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('');

const chatUsage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  prompt_tokens_details: { cached_tokens: 60 },
  completion_tokens_details: { reasoning_tokens: 15 },
};
const responsesUsage = {
  input_tokens: 100,
  output_tokens: 20,
  input_tokens_details: { cached_tokens: 60 },
  output_tokens_details: { reasoning_tokens: 15 },
};
const response = { object: 'response', model: 'm', status: 'completed', output: [], usage: responsesUsage };

/** Each API with the same tokens: 100 in, 60 of them cached, 20 out, 15 of them for reasoning. */
const streams: readonly (readonly [Codec, string, string])[] = [
  [
    anthropicMessages,
    events(
      {
        type: 'message_start',
        message: {
          model: 'm',
          usage: { input_tokens: 30, cache_read_input_tokens: 60, cache_creation_input_tokens: 10, output_tokens: 1 },
        },
      },
      { type: 'content_block_delta', delta: { text: 'a "message_delta" in the text' } },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 20, output_tokens_details: { thinking_tokens: 15 } },
      },
      { type: 'message_stop' },
    ),
    'end_turn',
  ],
  [
    openaiChat,
    events(
      { model: 'm', choices: [{ delta: { role: 'assistant', content: 'x' }, finish_reason: null }], usage: null },
      { model: 'm', choices: [{ delta: {}, finish_reason: 'stop' }] },
      { model: 'm', choices: [], usage: chatUsage },
    ),
    'stop',
  ],
  [
    openaiResponses,
    events(
      { type: 'response.created', response: { ...response, status: 'in_progress', usage: null } },
      { type: 'response.completed', response },
    ),
    'completed',
  ],
  [
    gemini,
    events(
      {
        modelVersion: 'm',
        candidates: [{ content: {} }],
        usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 1 },
      },
      {
        modelVersion: 'm',
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: {
          promptTokenCount: 100,
          cachedContentTokenCount: 60,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 15,
        },
      },
    ),
    'STOP',
  ],
];

describe.each(streams)('a stream of $name', (api, text, stopReason) => {
  it('has its cached and its reasoning tokens counted once', () => {
    const { usage, ...reply } = readReply(api, 'text/event-stream', text);
    expect(usage).toMatchObject({ inputTokens: 100, cachedInputTokens: 60, outputTokens: 20, reasoningTokens: 15 });
    expect(reply).toEqual({ respondedAs: 'm', stopReason, error: undefined, isComplete: true });
    expect(usage?.cacheWriteInputTokens).toBe(api === anthropicMessages ? 10 : undefined);
  });

  it('has no end and no final tokens when it is cut short', () => {
    const { usage, isComplete } = readReply(api, 'text/event-stream', text.slice(0, text.indexOf('\n\n') + 2));
    expect([usage, isComplete]).toEqual([undefined, false]);
  });

  it('is read without failing when it is not what it should be', () => {
    for (const junk of ['', 'data: {\n\n', 'data: null\n\n', 'data: [1]\n\n', '\u0000'.repeat(50)]) {
      expect(readReply(api, 'text/event-stream', junk)).toMatchObject({ usage: undefined, isComplete: false });
      expect(readReply(api, 'application/json', junk)).toMatchObject({ usage: undefined, isComplete: false });
    }
  });
});

describe('a reply whose tokens are only partly reported', () => {
  const { completion_tokens: _, ...promptOnly } = chatUsage;
  const { output_tokens: __, ...inputOnly } = responsesUsage;
  it.each([
    [openaiChat, { model: 'm', choices: [{ message: {}, finish_reason: 'stop' }], usage: promptOnly }],
    [openaiResponses, { ...response, usage: inputOnly }],
    [
      gemini,
      {
        modelVersion: 'm',
        candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 100 },
      },
    ],
  ])('has unknown tokens, not zero (%#)', (api, body) => {
    const { usage, isComplete } = readReply(api, 'application/json', JSON.stringify(body));
    expect([usage?.inputTokens, usage?.outputTokens, isComplete]).toEqual([100, undefined, true]);
  });
});
