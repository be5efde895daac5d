import { describe, expect, it } from 'vitest';
import { usageIn } from './reported-usage.ts';

const sides = { inputTokens: 10, outputTokens: 5 };

describe('token usage', () => {
  it.each([
    ['the contract', { tokenUsage: { input: 10, output: 5, total: 15 } }],
    ['without a total', { tokenUsage: { input: 10, output: 5 } }],
    ['the earlier program', { tokensUsage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } }],
    ['OpenAI', { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }],
    ['Anthropic', { usage: { input_tokens: 10, output_tokens: 5 } }],
    ['camel case', { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } }],
    ['prompt and completion', { tokens: { prompt: 10, completion: 5, total: 15 } }],
    ['Gemini', { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 } }],
    ['LangChain', { usage_metadata: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } }],
    ['Ollama', { prompt_eval_count: 10, eval_count: 5 }],
    ['output and total', { usage: { output: 5, total: 15 } }],
  ])('is read in the spelling of %s', (_, answer) => {
    expect(usageIn(answer)).toEqual({ usage: sides });
  });

  it.each([
    [
      'Anthropic, beside the input',
      { input_tokens: 1, cache_read_input_tokens: 7, cache_creation_input_tokens: 2, output_tokens: 5 },
      { ...sides, cachedInputTokens: 7, cacheWriteInputTokens: 2 },
    ],
    [
      'Bedrock, beside the input',
      { inputTokens: 1, cacheReadInputTokens: 7, cacheWriteInputTokens: 2, outputTokens: 5, totalTokens: 15 },
      { ...sides, cachedInputTokens: 7, cacheWriteInputTokens: 2 },
    ],
    [
      'Bedrock with a total of what is not cached',
      { inputTokens: 1, cacheReadInputTokens: 9, outputTokens: 5, totalTokens: 6 },
      { ...sides, cachedInputTokens: 9 },
    ],
    [
      'OpenAI, inside the input',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 9 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
      { ...sides, cachedInputTokens: 9, reasoningTokens: 4 },
    ],
    [
      'a proxy that writes both spellings',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        cache_read_input_tokens: 9,
        prompt_tokens_details: { cached_tokens: 9 },
      },
      { ...sides, cachedInputTokens: 9 },
    ],
    [
      'LangChain, inside the input',
      {
        input_tokens: 10,
        output_tokens: 5,
        total_tokens: 15,
        input_token_details: { cache_read: 6, cache_creation: 1 },
        output_token_details: { reasoning: 3 },
      },
      { ...sides, cachedInputTokens: 6, cacheWriteInputTokens: 1, reasoningTokens: 3 },
    ],
    [
      'Gemini, whose thoughts are beside its answer',
      {
        promptTokenCount: 10,
        candidatesTokenCount: 2,
        thoughtsTokenCount: 3,
        cachedContentTokenCount: 4,
        totalTokenCount: 15,
      },
      { ...sides, cachedInputTokens: 4, reasoningTokens: 3 },
    ],
    [
      'a server of the chat API whose reasoning is beside its answer',
      { prompt_tokens: 10, completion_tokens: 2, total_tokens: 15, completion_tokens_details: { reasoning_tokens: 3 } },
      { ...sides, reasoningTokens: 3 },
    ],
    [
      'this program',
      { inputTokens: 10, cachedInputTokens: 6, cacheWriteInputTokens: 1, outputTokens: 5, reasoningTokens: 2 },
      { ...sides, cachedInputTokens: 6, cacheWriteInputTokens: 1, reasoningTokens: 2 },
    ],
  ])('counts a cache and reasoning once, in the spelling of %s', (_, counts, usage) => {
    expect(usageIn({ usage: counts })).toEqual({ usage });
  });

  it('knows a total without its sides, and one side without the other', () => {
    expect(usageIn({ usage: { total_tokens: 42 } })).toEqual({ usage: { totalTokens: 42 } });
    expect(usageIn({ usage: { completion_tokens: 3 } })).toEqual({ usage: { outputTokens: 3 } });
  });

  it.each([
    ['nothing', {}],
    ['no object', 'text'],
    ['null', { usage: null }],
    ['counts of null', { usage: { input_tokens: null, output_tokens: null } }],
  ])('is unknown for %s', (_, answer) => {
    expect(usageIn(answer)).toEqual({ usage: undefined });
  });

  it.each([
    ['0 of everything', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['a total below its sides', { prompt_tokens: 100, completion_tokens: 50, total_tokens: 3 }],
    ['text instead of counts', { input_tokens: '10', output_tokens: '5' }],
    ['counts below zero', { input_tokens: -1, output_tokens: 3 }],
    [
      'more cached than there was',
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 11 } },
    ],
    ['a total below its one side', { output: 5, total: 3 }],
  ])('cannot be %s', (_, counts) => {
    expect(usageIn({ usage: counts })).toEqual({ usage: undefined, problem: expect.any(String) });
  });
});
