import { isRecord } from '../../../../../shared/json.ts';
import { amountOf, nameOf, objectOf, parseJson } from '../../../coerce.ts';
import type { JsonObject, OtlpSpan } from '../otlp-span.ts';
import { emptyReading, type SpanConvention } from './convention.ts';

/** Telemetry of the Vercel AI SDK: a span per request to the model and per tool call, in one around them. */
export const vercelAi: SpanConvention = {
  name: 'Vercel AI SDK',
  recognises: ({ attributes }) => typeof attributes['ai.operationId'] === 'string',
  read({ attributes }) {
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
      };
    }
    if (!/\.do(?:Generate|Stream)$/.test(operation)) return emptyReading;
    return {
      messages: [...promptOf(attributes), ...answerOf(attributes)],
      usage: {
        inputTokens: amountOf(attributes['ai.usage.inputTokens'], attributes['ai.usage.promptTokens']),
        outputTokens: amountOf(attributes['ai.usage.outputTokens'], attributes['ai.usage.completionTokens']),
        model: nameOf(attributes['ai.response.model']) ?? nameOf(attributes['ai.model.id']),
      },
    };
  },
};

type Attributes = OtlpSpan['attributes'];

function promptOf(attributes: Attributes): JsonObject[] {
  const messages = parsed(attributes['ai.prompt.messages']);
  return (Array.isArray(messages) ? messages : []).filter(isRecord).flatMap(({ role, content }) => {
    const parts = Array.isArray(content) ? content.filter(isRecord) : [{ type: 'text', text: content }];
    if (role === 'tool') return parts.map(toolAnswer);
    const calls = parts.filter(({ type }) => type === 'tool-call').map(callOf);
    const text = parts.flatMap(({ type, text: words }) =>
      type === 'text' && typeof words === 'string' ? [words] : [],
    );
    return role === 'assistant' ? [answer(text.join('\n'), calls)] : [{ role, content: text.join('\n') }];
  });
}

function answerOf(attributes: Attributes): JsonObject[] {
  const calls = parsed(attributes['ai.response.toolCalls'] ?? attributes['ai.result.toolCalls']);
  const text = attributes['ai.response.text'] ?? attributes['ai.result.text'] ?? attributes['ai.response.object'];
  const made = (Array.isArray(calls) ? calls : []).filter(isRecord).map(callOf);
  const words = nameOf(text) ?? '';
  return words === '' && made.length === 0 ? [] : [answer(words, made)];
}

/** The same answer looks the same in the request that follows it. */
function answer(text: string, calls: readonly JsonObject[]): JsonObject {
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

function parsed(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}
