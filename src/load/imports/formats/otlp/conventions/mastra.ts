import { isRecord } from '../../../../../shared/json.ts';
import { nameOf, objectOf } from '../../../coerce.ts';
import { lost } from '../../../losses.ts';
import { parsed } from '../otlp-messages.ts';
import type { JsonObject, OtlpSpan } from '../otlp-span.ts';
import { emptyReading, type SpanConvention, type SpanReading, unansweredBy, unknownKind } from './convention.ts';
import { figuresOf, genAi } from './gen-ai.ts';

const requestKind = 'model_inference';
const toolKinds: ReadonlySet<string> = new Set(['tool_call', 'mcp_tool_call', 'client_tool_call']);

/** Mastra: the names of OpenTelemetry for tools and tokens, and its own for the messages of a step. */
export const mastra: SpanConvention = {
  name: 'Mastra',
  recognises: ({ attributes }) => Object.keys(attributes).some((name) => name.startsWith('mastra.')),
  read(span) {
    const kind = String(span.attributes['mastra.span.type']);
    if (toolKinds.has(kind)) return genAi.read(span);
    // The answer stands in the step around the request.
    if (kind === requestKind) return { messages: [], request: figuresOf(span) };
    if (kind === 'model_step') return stepReading(span.attributes);
    return otherKinds.test(kind) ? emptyReading : unknownKind(span.name, kind);
  },
};

const otherKinds =
  /^(?:agent_run|generic|model_(?:generation|chunk)|processor_run|workflow_\w+|memory_\w+|rag_\w+|scorer?_\w+|graph_\w+|workspace\w*)$/;

function stepReading(attributes: OtlpSpan['attributes']): SpanReading {
  const cut = ['input', 'output'].filter((side) => typeof parsed(attributes[`mastra.model_step.${side}`]) === 'string');
  // The messages of the user part the answers, with their times and tokens.
  const losses = cut.map((side) => ({ channels: lost.everything, reason: `\`mastra.model_step.${side}\` is cut` }));
  const messages = messagesOf(attributes);
  return { messages, losses, ...unansweredBy(messages, undefined) };
}

/** Earlier calls and their results stand in the input by the names of their tools alone; their own spans have them. */
function messagesOf(attributes: OtlpSpan['attributes']): unknown[] {
  const input = parsed(attributes['mastra.model_step.input']);
  const sent = (Array.isArray(input) ? input : []).filter((message) => !isRecord(message) || !isShortened(message));
  const { text, toolCalls } = objectOf(parsed(attributes['mastra.model_step.output']));
  const calls = (Array.isArray(toolCalls) ? toolCalls : []).map(callOf);
  const content = nameOf(text) ?? '';
  if (content === '' && calls.length === 0) return sent;
  return [...sent, { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }];
}

function isShortened({ role, content }: JsonObject): boolean {
  return role === 'tool' || (role === 'assistant' && /\[tool: [^\]]*\]$/.test(nameOf(content) ?? ''));
}

function callOf(call: unknown): unknown {
  const { toolCallId, toolName, args } = objectOf(call);
  return isRecord(call) ? { id: toolCallId, name: toolName, arguments: args ?? {} } : call;
}
