import type { Loss } from '../../../../../domain/loss.ts';
import { readUsage, type UsageReading } from '../../../../../domain/usage.ts';
import { isRecord } from '../../../../../shared/json.ts';
import { nameOf, objectOf, parseJson } from '../../../coerce.ts';
import { lost } from '../../../losses.ts';
import { lossesAtEndOf, parsed } from '../otlp-messages.ts';
import type { JsonObject, OtlpSpan } from '../otlp-span.ts';
import { emptyReading, type SpanConvention, unansweredBy, unknownKind } from './convention.ts';
import { count } from './gen-ai.ts';

/** Telemetry of the Vercel AI SDK: a span per request to the model and per tool call, in one around them. */
export const vercelAi: SpanConvention = {
  name: 'Vercel AI SDK',
  recognises: ({ attributes }) => 'ai.operationId' in attributes,
  read({ attributes, name }) {
    const operation = String(attributes['ai.operationId']);
    if (operation === 'ai.toolCall') {
      return {
        messages: [],
        tool: {
          name: nameOf(attributes['ai.toolCall.name']) ?? 'unknown',
          callId: nameOf(attributes['ai.toolCall.id']),
          input: parsed(attributes['ai.toolCall.args']) ?? {},
          result: parsed(attributes['ai.toolCall.result']),
        },
        losses: cutJson(attributes, ['ai.toolCall.args', 'ai.toolCall.result']),
      };
    }
    if (otherOperations.test(operation)) return emptyReading;
    if (!/\.do(?:Generate|Stream)$/.test(operation)) return unknownKind(name, operation);
    const answered = answerOf(attributes);
    return {
      messages: [...promptOf(attributes), ...answered],
      request: {
        usage: usageOf(attributes),
        model: nameOf(attributes['ai.response.model']) ?? nameOf(attributes['ai.model.id']),
      },
      ...unansweredBy(answered, attributes['ai.response.finishReason']),
      losses: [
        ...lossesAtEndOf(attributes['ai.response.finishReason'] ?? attributes['ai.finishReason'], answered),
        ...cutJson(attributes, ['ai.prompt.messages', 'ai.response.toolCalls', 'ai.result.toolCalls']),
      ],
    };
  },
};

/** Spans around requests, and requests that are not for an answer. */
const otherOperations =
  /^ai\.(?:(?:generate|stream)(?:Text|Object|Image|Speech|Video)|embed(?:Many)?(?:\.doEmbed)?|rerank(?:\.doRerank)?|transcribe(?:\.\w+)?|stream\.\w+)$/;

function usageOf(attributes: Attributes): UsageReading {
  const tokens = (...names: readonly string[]): unknown =>
    names.map((name) => count(attributes[`ai.usage.${name}`])).find((value) => value !== undefined);
  return readUsage({
    inputTokens: tokens('inputTokens', 'promptTokens'),
    cachedInputTokens: tokens('cachedInputTokens', 'inputTokenDetails.cacheReadTokens'),
    cacheWriteInputTokens: tokens('inputTokenDetails.cacheWriteTokens'),
    outputTokens: tokens('outputTokens', 'completionTokens'),
    reasoningTokens: tokens('reasoningTokens', 'outputTokenDetails.reasoningTokens'),
    totalTokens: tokens('totalTokens'),
  });
}

/** Attributes that hold JSON and are not JSON. */
function cutJson(attributes: Attributes, names: readonly string[]): Loss[] {
  const isCut = (text: unknown): boolean =>
    typeof text === 'string' && /^\s*[[{]/.test(text) && parseJson(text) === undefined;
  return names.flatMap((name) =>
    isCut(attributes[name]) ? [{ channels: lost.message, reason: `\`${name}\` is cut or is not JSON` }] : [],
  );
}

type Attributes = OtlpSpan['attributes'];

function promptOf(attributes: Attributes): unknown[] {
  const messages = parsed(attributes['ai.prompt.messages']);
  return (Array.isArray(messages) ? messages : []).flatMap((message: unknown) => {
    if (!isRecord(message) || !Array.isArray(message.content)) return [message];
    const { role, content } = message;
    if (role === 'tool') return content.map((part) => (isRecord(part) ? toolAnswer(part) : part));
    const isCall = (part: unknown): part is JsonObject => isRecord(part) && part.type === 'tool-call';
    const calls = content.filter(isCall).map(callOf);
    const others = content.filter((part) => !isCall(part));
    const texts = others.flatMap((part) => (isRecord(part) && part.type === 'text' ? [String(part.text ?? '')] : []));
    const isText = texts.length === others.length;
    return role === 'assistant' && isText
      ? [answer(texts.join('\n'), calls)]
      : [{ ...answer('', calls), role, content: isText ? texts.join('\n') : others }];
  });
}

function answerOf(attributes: Attributes): JsonObject[] {
  const calls = parsed(attributes['ai.response.toolCalls'] ?? attributes['ai.result.toolCalls']);
  const text = attributes['ai.response.text'] ?? attributes['ai.result.text'] ?? attributes['ai.response.object'];
  const made = (Array.isArray(calls) ? calls : []).map((call) => (isRecord(call) ? callOf(call) : call));
  const words = nameOf(text) ?? '';
  return words === '' && made.length === 0 ? [] : [answer(words, made)];
}

/** The same answer looks the same in the request that follows it. */
function answer(text: string, calls: readonly unknown[]): JsonObject {
  return { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) };
}

function callOf({ toolCallId, toolName, input, args }: JsonObject): JsonObject {
  return { id: toolCallId, name: toolName, arguments: parsed(input ?? args) ?? {} };
}

function toolAnswer({ toolCallId, output, result }: JsonObject): JsonObject {
  const value = isRecord(output) && 'value' in output ? output.value : (output ?? result);
  const isError = String(objectOf(output).type).startsWith('error');
  return {
    role: 'tool',
    tool_call_id: toolCallId,
    content: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
    ...(isError && { is_error: true }),
  };
}
