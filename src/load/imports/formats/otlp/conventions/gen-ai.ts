import { amountOf, nameOf, parseJson } from '../../../coerce.ts';
import { messagesOf, unwrapText } from '../otlp-messages.ts';
import type { OtlpSpan } from '../otlp-span.ts';
import type { SpanConvention, SpanReading, SpanTool } from './convention.ts';

/** OpenTelemetry's names for generative AI, in their current and two earlier generations. */
export const genAi: SpanConvention = {
  name: 'OpenTelemetry GenAI',
  recognises: ({ attributes, events }) =>
    Object.keys(attributes).some((name) => name.startsWith('gen_ai.')) ||
    events.some(({ name }) => name.startsWith('gen_ai.')),
  read(span) {
    const tool = toolOf(span);
    // Messages of a tool's span are its input and its result.
    return tool ? { messages: [], tool } : { messages: messagesOf(span), ...usageOf(span) };
  },
};

/** Pydantic AI writes arguments and results of tools by its own names, and others write them as messages. */
function toolOf(span: OtlpSpan): SpanTool | undefined {
  const { attributes } = span;
  const name = nameOf(attributes['gen_ai.tool.name']);
  if (name === undefined) return undefined;
  const result = messagesOf(span).findLast(({ role }) => role === 'tool')?.content;
  return {
    name,
    callId: nameOf(attributes['gen_ai.tool.call.id']),
    input: readable(attributes['gen_ai.tool.call.arguments'] ?? attributes.tool_arguments) ?? {},
    result: unwrapText(
      readable(
        attributes['gen_ai.tool.call.result'] ??
          attributes['gen_ai.tool.message'] ??
          attributes.tool_response ??
          nameOf(result),
      ),
    ),
  };
}

function usageOf({ attributes }: OtlpSpan): Pick<SpanReading, 'usage'> {
  return {
    usage: {
      inputTokens: amountOf(attributes['gen_ai.usage.input_tokens'], attributes['gen_ai.usage.prompt_tokens']),
      outputTokens: amountOf(attributes['gen_ai.usage.output_tokens'], attributes['gen_ai.usage.completion_tokens']),
      model: nameOf(attributes['gen_ai.response.model']) ?? nameOf(attributes['gen_ai.request.model']),
      costUsd: amountOf(attributes['gen_ai.usage.cost']),
    },
  };
}

function readable(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}
