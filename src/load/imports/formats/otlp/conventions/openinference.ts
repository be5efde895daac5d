import { isRecord } from '../../../../../shared/json.ts';
import { amountOf, nameOf, objectOf, parseJson } from '../../../coerce.ts';
import type { JsonObject, OtlpSpan } from '../otlp-span.ts';
import { emptyReading, type SpanConvention, type SpanTool } from './convention.ts';
import { generatedMessages, langChainMessages } from './langchain-messages.ts';

/** OpenInference, as the instrumentation of Arize writes it for OpenAI, LangChain, LangGraph and others. */
export const openInference: SpanConvention = {
  name: 'OpenInference',
  recognises: ({ attributes }) => typeof attributes['openinference.span.kind'] === 'string',
  read(span) {
    const { attributes } = span;
    const kind = String(attributes['openinference.span.kind']).toUpperCase();
    if (kind === 'TOOL') return { messages: [], tool: toolOf(span) };
    if (kind !== 'LLM') return emptyReading;
    return {
      messages: messagesOf(attributes),
      usage: {
        inputTokens: amountOf(attributes['llm.token_count.prompt']),
        outputTokens: amountOf(attributes['llm.token_count.completion']),
        model: nameOf(attributes['llm.model_name']),
        costUsd: amountOf(attributes['llm.cost.total']),
      },
    };
  },
};

type Attributes = OtlpSpan['attributes'];

/**
 * Messages of LangChain have the ids of their calls in its own notation only, and those of Anthropic lose all results of
 * tools but the last, and the system prompt.
 */
function messagesOf(attributes: Attributes): JsonObject[] {
  const request = objectOf(parsed(attributes['input.value']));
  const reply = objectOf(parsed(attributes['output.value']));
  if (attributes['llm.system'] === 'anthropic' && Array.isArray(request.messages))
    return anthropicMessages(request, reply);
  const input = langChainMessages(request.messages);
  const output = generatedMessages(reply.generations);
  if (input.length > 0 && output.length > 0) return [...input, ...output];
  return [...numbered(attributes, 'llm.input_messages'), ...numbered(attributes, 'llm.output_messages')];
}

/** A request and its reply as Anthropic's API has them. */
function anthropicMessages({ system, messages }: JsonObject, reply: JsonObject): JsonObject[] {
  const instructions = system === undefined ? [] : [{ role: 'system', content: system }];
  const isAnswered = reply.role === 'assistant' && Array.isArray(reply.content);
  const answer = isAnswered ? [{ role: 'assistant', content: reply.content }] : [];
  return [...instructions, ...(messages as unknown[]).filter(isRecord), ...answer];
}

/** `llm.input_messages.0.message.role`, `llm.input_messages.0.message.content` and so on. */
function numbered(attributes: Attributes, prefix: string): JsonObject[] {
  const messages: JsonObject[] = [];
  for (let index = 0; `${prefix}.${index}.message.role` in attributes; index++) {
    const field = (name: string): unknown => attributes[`${prefix}.${index}.message.${name}`];
    const calls: JsonObject[] = [];
    for (let call = 0; field(`tool_calls.${call}.tool_call.function.name`) !== undefined; call++) {
      const part = (name: string): unknown => field(`tool_calls.${call}.tool_call.${name}`);
      calls.push({ id: part('id'), name: part('function.name'), arguments: parsed(part('function.arguments')) });
    }
    const texts: string[] = [];
    for (let part = 0; field(`contents.${part}.message_content.type`) !== undefined; part++) {
      texts.push(nameOf(field(`contents.${part}.message_content.text`)) ?? '');
    }
    messages.push({
      role: field('role'),
      content: nameOf(field('content')) ?? texts.join('\n'),
      tool_call_id: field('tool_call_id'),
      ...(calls.length > 0 && { tool_calls: calls }),
    });
  }
  return messages;
}

function toolOf({ attributes, name }: OtlpSpan): SpanTool {
  const output = parsed(attributes['output.value']);
  const [answered] = langChainMessages([objectOf(output).output ?? output]);
  return {
    name: nameOf(attributes['tool.name']) ?? name,
    callId: nameOf(attributes['tool_call.id']) ?? nameOf(answered?.tool_call_id),
    input: parsed(attributes['tool.parameters'] ?? attributes['input.value']) ?? {},
    result: isRecord(answered) ? answered.content : output,
  };
}

function parsed(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}
