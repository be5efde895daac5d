import type { Loss } from '../../../../../domain/loss.ts';
import { readUsage } from '../../../../../domain/usage.ts';
import type { RequestFigures } from '../../../chat-trace.ts';
import { figureOf, nameOf, objectOf } from '../../../coerce.ts';
import { lost } from '../../../losses.ts';
import { lossesAtEndOf, messagesOf, parsed, unwrapText } from '../otlp-messages.ts';
import type { OtlpSpan } from '../otlp-span.ts';
import { emptyReading, type SpanConvention, type SpanTool, unansweredBy, unknownKind } from './convention.ts';

/** OpenTelemetry's names for generative AI, in their current and two earlier generations. */
export const genAi: SpanConvention = {
  name: 'OpenTelemetry GenAI',
  recognises: ({ attributes, events }) =>
    Object.keys(attributes).some((name) => name.startsWith('gen_ai.')) ||
    events.some(({ name }) => name.startsWith('gen_ai.')),
  read(span) {
    const operation = nameOf(span.attributes['gen_ai.operation.name']);
    const tool = toolOf(span, operation);
    // Messages of a tool's span are its input and its result.
    if (tool) return { messages: [], tool, losses: toolLosses(tool) };
    const { messages, losses } = messagesOf(span);
    const figures = figuresOf(span);
    const content = { messages, losses: [...losses, ...endLosses(span, messages)] };
    if (operation !== undefined && aroundOperations.test(operation)) return { ...content, total: figures };
    const isRequest = operation === undefined ? hasFigures(figures) : modelOperations.test(operation);
    if (isRequest)
      return {
        ...content,
        request: figures,
        ...(operation !== 'embeddings' && unansweredBy(messages, endReasons(span))),
      };
    if (messages.length > 0 || losses.length > 0) return content;
    return operation === undefined || otherOperations.test(operation)
      ? emptyReading
      : unknownKind(span.name, operation);
  },
};

const modelOperations = /^(?:chat|text_completion|completion|generate_content|responses?|embeddings)$/;
const aroundOperations = /^(?:invoke_agent|create_agent|invoke_workflow|agent_step|workflow|agent|task)$/;
const otherOperations =
  /^(?:retrieval|rerank|evaluate|guardrail|plan|handoff|(?:create|update|upsert|delete|search)_memory(?:_store)?)$/;

/** Pydantic AI writes arguments and results of tools by its own names, and others write them as messages. */
function toolOf(span: OtlpSpan, operation: string | undefined): SpanTool | undefined {
  const { attributes } = span;
  const isTool = operation === 'execute_tool';
  const name =
    nameOf(attributes['gen_ai.tool.name']) ?? (isTool ? /^execute_tool (.+)$/.exec(span.name)?.[1] : undefined);
  if (name === undefined && !isTool) return undefined;
  const { messages } = messagesOf(span);
  const result = messages.map(objectOf).findLast(({ role }) => role === 'tool')?.content;
  return {
    name: name ?? 'unknown',
    callId: nameOf(attributes['gen_ai.tool.call.id']),
    input: parsed(attributes['gen_ai.tool.call.arguments'] ?? attributes.tool_arguments) ?? {},
    result: unwrapText(
      parsed(
        attributes['gen_ai.tool.call.result'] ??
          attributes['gen_ai.tool.message'] ??
          attributes.tool_response ??
          nameOf(result),
      ),
    ),
  };
}

/** Arguments are JSON: text in their place is cut. */
export function toolLosses({ name, input }: SpanTool): Loss[] {
  const isCut = typeof input === 'string' && /^\s*[[{]/.test(input);
  return [...(isCut ? [{ channels: lost.call, reason: `the arguments of a call of ${name} are cut` }] : [])];
}

function endLosses(span: OtlpSpan, messages: readonly unknown[]): Loss[] {
  return lossesAtEndOf(endReasons(span), messages);
}

function endReasons({ attributes }: OtlpSpan): unknown {
  return attributes['gen_ai.response.finish_reasons'];
}

function hasFigures({ usage: { usage, problem }, costUsd }: RequestFigures): boolean {
  return usage !== undefined || problem !== undefined || costUsd !== undefined;
}

/** Tokens and cost of a span by the names of OpenTelemetry. */
export function figuresOf({ attributes }: OtlpSpan): RequestFigures {
  const tokens = (...names: readonly string[]): unknown => {
    const name = names.find((each) => attributes[`gen_ai.usage.${each}`] !== undefined);
    return name === undefined ? undefined : count(attributes[`gen_ai.usage.${name}`]);
  };
  const isEmbedding = attributes['gen_ai.operation.name'] === 'embeddings';
  return {
    usage: readUsage({
      inputTokens: tokens('input_tokens', 'prompt_tokens'),
      cachedInputTokens: tokens('cache_read.input_tokens', 'cache_read_input_tokens'),
      cacheWriteInputTokens: tokens(
        ...['cache_creation.input_tokens', 'cache_write.input_tokens', 'cache_creation_input_tokens'],
      ),
      outputTokens: tokens('output_tokens', 'completion_tokens') ?? (isEmbedding ? 0 : undefined),
      reasoningTokens: tokens('reasoning_tokens', 'reasoning.output_tokens'),
      totalTokens: tokens('total_tokens') ?? count(attributes['llm.usage.total_tokens']),
    }),
    costUsd: attributes['gen_ai.usage.cost'],
    model: nameOf(attributes['gen_ai.response.model']) ?? nameOf(attributes['gen_ai.request.model']),
  };
}

/** A token count; some libraries write numbers as text. */
export function count(value: unknown): unknown {
  return figureOf(value) ?? value;
}
