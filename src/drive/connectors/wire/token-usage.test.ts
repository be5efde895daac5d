import { describe, expect, it } from 'vitest';
import { addUsage, usageIn } from './token-usage.ts';

const usage = { input: 10, output: 5, total: 15 };

describe('token usage', () => {
  it.each([
    ['the contract', { tokenUsage: { input: 10, output: 5, total: 15 } }],
    ['without a total', { tokenUsage: { input: 10, output: 5 } }],
    ['the earlier program', { tokensUsage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } }],
    ['OpenAI', { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }],
    ['Anthropic', { usage: { input_tokens: 10, output_tokens: 5 } }],
    ['Anthropic with a cache', { usage: { input_tokens: 3, cache_read_input_tokens: 7, output_tokens: 5 } }],
    ['camel case', { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } }],
    ['prompt and completion', { tokens: { prompt: 10, completion: 5, total: 15 } }],
    ['Gemini', { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 } }],
    ['LangChain', { usage_metadata: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } }],
    ['Ollama', { prompt_eval_count: 10, eval_count: 5 }],
    ['output and total', { usage: { output: 5, total: 15 } }],
  ])('is read in the spelling of %s', (_, answer) => {
    expect(usageIn(answer)).toEqual(usage);
  });

  it.each([
    ['nothing', {}],
    ['no object', 'text'],
    ['a total alone, which does not separate input and output', { usage: { total_tokens: 15 } }],
    ['text instead of counts', { usage: { input_tokens: '10', output_tokens: '5' } }],
    ['impossible counts', { usage: { input_tokens: -1, output_tokens: Number.NaN } }],
    ['null', { usage: null }],
  ])('is unknown for %s', (_, answer) => {
    expect(usageIn(answer)).toBeUndefined();
  });

  it('adds up, and what is unknown adds nothing', () => {
    expect(addUsage(usage, usage)).toEqual({ input: 20, output: 10, total: 30 });
    expect(addUsage(undefined, usage)).toEqual(usage);
    expect(addUsage(usage, undefined)).toEqual(usage);
    expect(addUsage(undefined, undefined)).toBeUndefined();
  });
});
