import type { Loss } from '../../../../../domain/loss.ts';
import { readUsage } from '../../../../../domain/usage.ts';
import { isRecord } from '../../../../../shared/json.ts';
import type { RequestFigures } from '../../../chat-trace.ts';
import { nameOf, objectOf, parseJson, wordsOf } from '../../../coerce.ts';
import { lost } from '../../../losses.ts';
import { lossesAtEndOf, numberedParts, parsed, type SpanMessages } from '../otlp-messages.ts';
import type { JsonObject, OtlpSpan } from '../otlp-span.ts';
import { emptyReading, type SpanConvention, type SpanTool, unansweredBy, unknownKind } from './convention.ts';
import { count } from './gen-ai.ts';
import { generatedMessages, langChainMessages } from './langchain-messages.ts';

/** OpenInference, as the instrumentation of Arize writes it for OpenAI, LangChain, LangGraph and others. */
export const openInference: SpanConvention = {
  name: 'OpenInference',
  recognises: ({ attributes }) => 'openinference.span.kind' in attributes || Object.keys(attributes).some(isOwnName),
  read(span) {
    const { attributes } = span;
    const kind = String(attributes['openinference.span.kind']).toUpperCase();
    if (kind === 'TOOL') return { messages: [], tool: toolOf(span), losses: cutJson(attributes) };
    if (otherKinds.test(kind)) return emptyReading;
    if (kind !== 'LLM') return unknownKind(span.name, kind);
    const { messages, losses } = messagesOf(attributes);
    const ends = lossesAtEndOf(attributes['llm.finish_reason'], messages);
    return {
      messages,
      losses: [...losses, ...ends, ...cutJson(attributes)],
      request: figuresOf(attributes),
      ...unansweredBy(messages, attributes['llm.finish_reason']),
    };
  },
};

/** Names that no other convention has: a span without its kind is still one of this convention. */
function isOwnName(name: string): boolean {
  return /^llm\.(?:system$|provider$|model_name$|token_count\.|(?:in|out)put_messages\.)/.test(name);
}

const otherKinds = /^(?:AGENT|CHAIN|RETRIEVER|RERANKER|EMBEDDING|GUARDRAIL|EVALUATOR|PROMPT|UNKNOWN)$/;

function figuresOf(attributes: Attributes): RequestFigures {
  const tokens = (name: string): unknown => count(attributes[`llm.token_count.${name}`]);
  return {
    usage: readUsage({
      inputTokens: tokens('prompt'),
      cachedInputTokens: tokens('prompt_details.cache_read'),
      cacheWriteInputTokens: tokens('prompt_details.cache_write'),
      outputTokens: tokens('completion'),
      reasoningTokens: tokens('completion_details.reasoning'),
      totalTokens: tokens('total'),
    }),
    costUsd: attributes['llm.cost.total'],
    model: nameOf(attributes['llm.model_name']),
  };
}

/** Values that say that they are JSON, and are not. */
function cutJson(attributes: Attributes): Loss[] {
  return ['input', 'output'].flatMap((side) => {
    const value = attributes[`${side}.value`];
    const isJson = attributes[`${side}.mime_type`] === 'application/json';
    const isCut = isJson && typeof value === 'string' && parseJson(value) === undefined;
    return isCut ? [{ channels: lost.message, reason: `\`${side}.value\` is cut or is not JSON` }] : [];
  });
}

type Attributes = OtlpSpan['attributes'];

/**
 * Messages of LangChain have the ids of their calls in its own notation only, and those of Anthropic lose all results of
 * tools but the last, and the system prompt.
 */
function messagesOf(attributes: Attributes): SpanMessages {
  const request = objectOf(parsed(attributes['input.value']));
  const reply = objectOf(parsed(attributes['output.value']));
  if (attributes['llm.system'] === 'anthropic' && Array.isArray(request.messages))
    return { messages: anthropicMessages(request, reply), losses: [] };
  const input = langChainMessages(request.messages);
  const output = generatedMessages(reply.generations);
  if (input.length > 0 && output.length > 0) return { messages: [...input, ...output], losses: [] };
  const written = parsed(attributes['input.value']);
  const sent = numbered(attributes, 'llm.input_messages', Array.isArray(written) ? written : []);
  const answered = numbered(attributes, 'llm.output_messages');
  const isHalf = input.length + output.length > 0 && sent.messages.length + answered.messages.length > 0;
  const withoutIds = { channels: lost.call, reason: 'the ids of calls are known on one side of a request only' };
  return {
    messages: [...sent.messages, ...answered.messages],
    losses: [...sent.losses, ...answered.losses, ...(isHalf ? [withoutIds] : [])],
  };
}

/** A request and its reply as Anthropic's API has them. */
function anthropicMessages({ system, messages }: JsonObject, reply: JsonObject): unknown[] {
  const instructions = system === undefined ? [] : [{ role: 'system', content: system }];
  const isAnswered = reply.role === 'assistant' && Array.isArray(reply.content);
  const answer = isAnswered ? [{ role: 'assistant', content: reply.content }] : [];
  return [...instructions, ...(messages as unknown[]), ...answer];
}

/**
 * `llm.input_messages.0.message.role`, `llm.input_messages.0.message.content` and so on. `written` are the same messages as
 * the request has them: of some, the attributes have the role alone.
 */
function numbered(attributes: Attributes, prefix: string, written: readonly unknown[] = []): SpanMessages {
  const { parts, losses } = numberedParts(attributes, prefix);
  const all = [...losses];
  const messages = parts.map((part, index) => {
    const field = (name: string): unknown => part[`message.${name}`];
    const [calls, contents] = [numberedParts(part, 'message.tool_calls'), numberedParts(part, 'message.contents')];
    all.push(...calls.losses, ...contents.losses);
    const made = calls.parts.map((call) => ({
      id: call['tool_call.id'],
      name: call['tool_call.function.name'],
      arguments: parsed(call['tool_call.function.arguments']),
    }));
    const blocks = contents.parts.map((content) => ({
      type: content['message_content.type'] ?? 'text',
      text: content['message_content.text'],
    }));
    const isEmpty = [field('content'), ...made, ...blocks].every((part) => part === undefined);
    const words = isEmpty ? wordsIn(written[index]) : undefined;
    if (isEmpty && words === undefined)
      all.push({ channels: lost.message, reason: `a message of \`${prefix}\` has no content` });
    return {
      role: field('role'),
      content: nameOf(field('content')) ?? words ?? (blocks.length > 0 ? blocks : ''),
      tool_call_id: field('tool_call_id'),
      ...(made.length > 0 && { tool_calls: made }),
    };
  });
  return { messages, losses: all };
}

/** The words of a message that consists of nothing else. */
function wordsIn(message: unknown): string | undefined {
  const { content } = objectOf(message);
  const texts = Array.isArray(content) ? content.map((block) => wordsOf(objectOf(block).text)) : [wordsOf(content)];
  return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
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
