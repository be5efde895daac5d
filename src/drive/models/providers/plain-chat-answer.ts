import { isRecord, parseJson } from '../../../shared/json.ts';
import type { CallResult } from '../provider.ts';

type Usage = CallResult['usage'];

/** Keys that the SDK refuses, and escapes in which they could hide. */
const refusable = /__proto__|constructor|\\u/;

/**
 * An answer of a chat API that is one text and nothing else, as both SDKs for such APIs read it; undefined for any
 * other, be it richer or broken.
 */
export function readPlainChatAnswer(body: string): CallResult | undefined {
  const answer = refusable.test(body) ? undefined : parseJson(body);
  if (!isRecord(answer) || !Array.isArray(answer.choices) || answer.choices.length !== 1) return undefined;
  const [choice] = answer.choices;
  const usage = usageOf(answer.usage);
  const { model, id, created } = answer;
  if (!usage || !isTextOrNothing(model) || !isTextOrNothing(id) || !isNumberOrNothing(created)) return undefined;
  if (!isRecord(choice) || typeof choice.index !== 'number' || !isNothing(choice.logprobs)) return undefined;
  const { finish_reason: raw, message } = choice;
  const text = textOf(message);
  if (text === undefined || (raw !== 'stop' && raw !== 'length')) return undefined;
  return {
    content: [{ type: 'text', text }],
    finishReason: { unified: raw, raw },
    usage,
    response: typeof model === 'string' ? { modelId: model } : {},
  };
}

function textOf(message: unknown): string | undefined {
  if (!isRecord(message)) return undefined;
  const { role, content, ...others } = message;
  if (!isNothing(role) && role !== 'assistant') return undefined;
  if (typeof content !== 'string' || content === '') return undefined;
  for (const name in others) if (!isNothing(others[name]) && !isEmptyList(others[name])) return undefined;
  return content;
}

function usageOf(usage: unknown): Usage | undefined {
  const nothing = undefined;
  if (isNothing(usage)) {
    return {
      inputTokens: { total: nothing, noCache: nothing, cacheRead: nothing, cacheWrite: nothing },
      outputTokens: { total: nothing, text: nothing, reasoning: nothing },
    };
  }
  if (!isRecord(usage)) return undefined;
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } = usage;
  const input = figuresIn(prompt_tokens_details);
  const output = figuresIn(completion_tokens_details);
  if (!input || !output || !isNothing(input.cache_write_tokens)) return undefined;
  if (!isNumberOrNothing(prompt_tokens) || !isNumberOrNothing(completion_tokens) || !isNumberOrNothing(total_tokens)) {
    return undefined;
  }
  const total = prompt_tokens ?? 0;
  const written = completion_tokens ?? 0;
  const cacheRead = input.cached_tokens ?? 0;
  const reasoning = output.reasoning_tokens ?? 0;
  return {
    inputTokens: { total, noCache: total - cacheRead, cacheRead, cacheWrite: nothing },
    outputTokens: { total: written, text: Math.max(0, written - reasoning), reasoning },
  };
}

type Figures = Readonly<Record<string, number | null | undefined>>;

function figuresIn(details: unknown): Figures | undefined {
  if (isNothing(details)) return {};
  if (!isRecord(details)) return undefined;
  for (const name in details) if (!isNumberOrNothing(details[name])) return undefined;
  return details as Figures;
}

function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function isNumberOrNothing(value: unknown): value is number | null | undefined {
  return isNothing(value) || typeof value === 'number';
}

function isTextOrNothing(value: unknown): value is string | null | undefined {
  return isNothing(value) || typeof value === 'string';
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
