import { amountOf, nameOf, parseJson } from '../../../coerce.ts';
import type { OtlpSpan } from '../otlp-span.ts';
import { emptyReading, type SpanConvention, type SpanReading, type SpanTool } from './convention.ts';

type Attributes = OtlpSpan['attributes'];

/** The events that Claude Code logs of a session. The results of tools are not among them. */
export const claudeCode: SpanConvention = {
  name: 'Claude Code',
  recognises: ({ attributes }) => eventOf(attributes).startsWith('claude_code.'),
  read({ attributes }) {
    const event = eventOf(attributes).slice('claude_code.'.length);
    if (event === 'user_prompt') return spoken('user', attributes.prompt);
    if (event === 'tool_result') return { messages: [], tool: claudeTool(attributes) };
    // Titles of sessions and other requests beside the conversation belong to no prompt.
    if (event === 'assistant_response' && attributes['prompt.id'] !== undefined) {
      return spoken('assistant', attributes.response);
    }
    return event === 'api_request' ? claudeUsage(attributes) : emptyReading;
  },
};

/** The spans of Claude Code, one trace for each prompt. The answers of the model are not among them. */
export const claudeCodeSpans: SpanConvention = {
  name: 'Claude Code',
  recognises: ({ name, attributes }) => name.startsWith('claude_code.') && typeof attributes['span.type'] === 'string',
  read({ attributes, events }) {
    const kind = attributes['span.type'];
    if (kind === 'interaction') return spoken('user', attributes.user_prompt);
    if (kind === 'llm_request') return claudeUsage(attributes);
    if (kind === 'tool') return { messages: [], tool: claudeToolSpan(attributes, events) };
    if (kind !== 'tool.execution') return emptyReading;
    return { messages: [], tool: { ...claudeTool(attributes), part: 'result' } };
  },
};

/** The events that Codex logs of a session. The answers of the model are not among them. */
export const codex: SpanConvention = {
  name: 'Codex',
  recognises: ({ attributes }) => eventOf(attributes).startsWith('codex.'),
  read({ attributes }) {
    const event = eventOf(attributes).slice('codex.'.length);
    if (event === 'user_prompt') return spoken('user', attributes.prompt);
    if (event === 'tool_result') return { messages: [], tool: codexTool(attributes) };
    const inputTokens = amountOf(attributes.input_token_count);
    if (event !== 'sse_event' || inputTokens === undefined) return emptyReading;
    const outputTokens = amountOf(attributes.output_token_count);
    return { messages: [], usage: { inputTokens, outputTokens, model: nameOf(attributes.model) } };
  },
};

function eventOf(attributes: Attributes): string {
  return nameOf(attributes['assay.log.event']) ?? '';
}

/** Both agents leave texts out unless their settings demand them. */
function spoken(role: string, text: unknown): SpanReading {
  const content = nameOf(text);
  return content === undefined || /^[<[]REDACTED[>\]]$/i.test(content)
    ? emptyReading
    : { messages: [{ role, content }] };
}

function claudeTool(attributes: Attributes): SpanTool {
  return {
    name: nameOf(attributes.tool_name) ?? 'unknown',
    callId: nameOf(attributes.tool_use_id),
    input: parseJson(nameOf(attributes.tool_input) ?? '') ?? {},
    result: undefined,
    ...failure(attributes, attributes.error),
  };
}

/** The span around a tool has its output, and the one of its execution whether it failed. */
function claudeToolSpan(attributes: Attributes, events: OtlpSpan['events']): SpanTool {
  const { full_command: command, file_path: file } = attributes;
  const output = events.find(({ name }) => name === 'tool.output')?.attributes.output;
  return {
    ...claudeTool(attributes),
    input: { ...(command !== undefined && { command }), ...(file !== undefined && { file_path: file }) },
    result: output,
    ...(output === undefined && { part: 'call' }),
  };
}

function codexTool(attributes: Attributes): SpanTool {
  return {
    name: nameOf(attributes.tool_name) ?? 'unknown',
    callId: nameOf(attributes.call_id),
    input: parseJson(nameOf(attributes.arguments) ?? '') ?? {},
    result: nameOf(attributes.output),
    ...failure(attributes, attributes.output),
  };
}

function failure({ success }: Attributes, message: unknown): Pick<SpanTool, 'error'> {
  return String(success) === 'false' ? { error: nameOf(message) ?? 'the tool failed' } : {};
}

/** Tokens of the cache are part of the input. */
function claudeUsage(attributes: Attributes): SpanReading {
  const parts = [attributes.input_tokens, attributes.cache_read_tokens, attributes.cache_creation_tokens];
  const amounts = parts.map((part) => amountOf(part));
  return {
    messages: [],
    usage: {
      inputTokens: amounts[0] === undefined ? undefined : amounts.reduce<number>((sum, part) => sum + (part ?? 0), 0),
      outputTokens: amountOf(attributes.output_tokens),
      model: nameOf(attributes.model),
      costUsd: amountOf(attributes.cost_usd),
    },
  };
}
