import { isRecord } from '../../../../../shared/json.ts';
import { nameOf, objectOf, parseJson } from '../../../coerce.ts';
import type { JsonObject, OtlpSpan } from '../otlp-span.ts';
import { emptyReading, type SpanConvention } from './convention.ts';
import { genAi } from './gen-ai.ts';

const requestKind = 'model_inference';
const toolKinds: ReadonlySet<string> = new Set(['tool_call', 'mcp_tool_call', 'client_tool_call']);

/** Mastra: the names of OpenTelemetry for tools and tokens, and its own for the messages of a step. */
export const mastra: SpanConvention = {
  name: 'Mastra',
  recognises: ({ attributes }) => typeof attributes['mastra.span.type'] === 'string',
  read(span) {
    const kind = String(span.attributes['mastra.span.type']);
    if (toolKinds.has(kind)) return genAi.read(span);
    if (kind === requestKind) return { ...genAi.read(span), messages: [] };
    return kind === 'model_step' ? { messages: messagesOf(span.attributes) } : emptyReading;
  },
};

/** Earlier calls and their results stand in the input by the names of their tools alone; their own spans have them. */
function messagesOf(attributes: OtlpSpan['attributes']): JsonObject[] {
  const input = parsed(attributes['mastra.model_step.input']);
  const sent = (Array.isArray(input) ? input : []).filter(isRecord).filter((message) => !isShortened(message));
  const { text, toolCalls } = objectOf(parsed(attributes['mastra.model_step.output']));
  const calls = (Array.isArray(toolCalls) ? toolCalls : []).filter(isRecord).map(callOf);
  const content = nameOf(text) ?? '';
  if (content === '' && calls.length === 0) return sent;
  return [...sent, { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }];
}

function isShortened({ role, content }: JsonObject): boolean {
  return role === 'tool' || (role === 'assistant' && /\[tool: [^\]]*\]$/.test(nameOf(content) ?? ''));
}

function callOf({ toolCallId, toolName, args }: JsonObject): JsonObject {
  return { id: toolCallId, name: toolName, arguments: args ?? {} };
}

function parsed(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}
