import type { ModelReply, ModelToolCall, ModelUsage } from './model.ts';
import { costUsd, type Price } from './prices.ts';
import type { CallResult } from './provider.ts';

interface ReplyContext {
  /** The model as it was asked for. */
  readonly model: string;
  readonly price: Price | null;
  readonly latencyMs: number;
}

/** What the SDK answered, in our words. */
export function readReply(result: CallResult, { model, price, latencyMs }: ReplyContext): ModelReply {
  const usage = readUsage(result);
  return {
    text: result.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    toolCalls: result.content.flatMap((part) => (part.type === 'tool-call' ? [readToolCall(part)] : [])),
    finishReason: readFinishReason(result),
    usage: usage ?? { inputTokens: 0, outputTokens: 0 },
    // Without usage nobody knows what the call has cost.
    costUsd: price && usage ? costUsd(price, usage) : null,
    latencyMs,
    respondedAs: result.response?.modelId ?? model,
    isReplayed: false,
  };
}

function readUsage({ usage }: CallResult): ModelUsage | undefined {
  const { total: inputTokens, cacheRead = 0 } = usage.inputTokens;
  const { total: outputTokens } = usage.outputTokens;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return { inputTokens, outputTokens, ...(cacheRead > 0 && { cachedInputTokens: cacheRead }) };
}

type ToolCallPart = Extract<CallResult['content'][number], { type: 'tool-call' }>;

/** An input that is no JSON is the model's doing, and is kept as the model wrote it. */
function readToolCall({ toolCallId: callId, toolName: tool, input }: ToolCallPart): ModelToolCall {
  try {
    return { callId, tool, input: input === '' ? {} : JSON.parse(input) };
  } catch {
    return { callId, tool, input };
  }
}

function readFinishReason({ finishReason, content }: CallResult): ModelReply['finishReason'] {
  if (finishReason.unified === 'error') return 'other';
  const hasToolCalls = content.some((part) => part.type === 'tool-call');
  // Some servers say `stop` although they ask for tools.
  return finishReason.unified === 'stop' && hasToolCalls ? 'tool-calls' : finishReason.unified;
}
