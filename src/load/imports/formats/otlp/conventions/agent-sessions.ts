import { readUsage } from '../../../../../domain/usage.ts';
import { finishGaps } from '../../../../../drive/wire/finish.ts';
import type { RequestFigures } from '../../../chat-trace.ts';
import { nameOf, parseJson } from '../../../coerce.ts';
import { lost } from '../../../losses.ts';
import type { OtlpSpan } from '../otlp-span.ts';
import { emptyReading, type SpanConvention, type SpanReading, type SpanTool, unknownKind } from './convention.ts';
import { count } from './gen-ai.ts';

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
      const reading = spoken('assistant', attributes.response);
      const reason = 'the text of an answer was not recorded';
      return reading.messages.length > 0 ? reading : { ...reading, losses: [{ channels: lost.answer, reason }] };
    }
    if (event === 'api_request') return claudeUsage(attributes);
    if (event === 'api_error') return { messages: [], request: { usage: { usage: undefined } } };
    return claudeEvents.test(event) ? emptyReading : unknownKind(`claude_code.${event}`, event);
  },
};

/** The spans of Claude Code, one trace for each prompt. The answers of the model are not among them. */
export const claudeCodeSpans: SpanConvention = {
  name: 'Claude Code',
  recognises: ({ name }) => name.startsWith('claude_code.'),
  read({ attributes, events, name }) {
    const kind = attributes['span.type'];
    if (kind === 'interaction') return spoken('user', attributes.user_prompt);
    if (kind === 'llm_request') return { ...claudeUsage(attributes), ...claudeEnd(attributes) };
    if (kind === 'tool') return { messages: [], tool: claudeToolSpan(attributes, events) };
    if (kind === 'tool.execution') return { messages: [], tool: { ...claudeTool(attributes), part: 'result' } };
    return claudeSpans.test(String(kind)) ? emptyReading : unknownKind(name, kind);
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
    if (event === 'sse_event' && Object.keys(attributes).some((name) => name.endsWith('_token_count'))) {
      return { messages: [], request: codexFigures(attributes) };
    }
    return codexEvents.test(event) ? emptyReading : unknownKind(`codex.${event}`, event);
  },
  missingFrom(spans) {
    const events = spans.map(({ attributes }) => eventOf(attributes).slice('codex.'.length));
    const [call, request] = [events.indexOf('tool_result'), events.findIndex((event) => requestEvents.test(event))];
    const isMade = call < 0 || (request >= 0 && request < call);
    return isMade ? [] : [{ channels: lost.everything, reason: 'the request that made a call was not recorded' }];
  },
};

/** Events of a request to a model, the first of which precedes the calls that it makes. */
const requestEvents = /^(?:api_request|sse_event|websocket\w*)$/;

/** Events with neither words nor calls nor tokens of the conversation. */
const claudeEvents =
  /^(?:assistant_response|tool_decision|tool_use_summary|hook\w*|mcp\w*|plugin\w*|skill\w*|auth\w*|session\w*|permission\w*|compact\w*|at_mention\w*|internal_error|feedback\w*|api_(?:request|response)_body|api_ret\w+|config\w*|startup\w*)$/;
const claudeSpans = /^(?:tool\.blocked_on_user|hook\w*|subagent\w*|compact\w*)$/;
const codexEvents =
  /^(?:conversation_starts|api_request|sse_event|tool_decision|websocket\w*|startup\w*|auth\w*|turn\w*|session\w*|mcp\w*)$/;

/** The calls with which a request ended have their own spans. */
function claudeEnd(attributes: Attributes): Pick<SpanReading, 'isFollowedByTool' | 'losses'> {
  const reasons = attributes['gen_ai.response.finish_reasons'];
  const [reason] = Array.isArray(reasons) ? reasons : [reasons];
  return reason === 'tool_use' ? { isFollowedByTool: true } : { losses: finishGaps(nameOf(reason), true) };
}

function codexFigures(attributes: Attributes): RequestFigures {
  const tokens = (name: string): unknown => count(attributes[`${name}_token_count`]);
  return {
    usage: readUsage({
      inputTokens: tokens('input'),
      cachedInputTokens: tokens('cached'),
      outputTokens: tokens('output'),
      reasoningTokens: tokens('reasoning'),
    }),
    model: nameOf(attributes.model),
  };
}

function eventOf(attributes: Attributes): string {
  return nameOf(attributes['assay.log.event']) ?? '';
}

/** Both agents leave texts out unless their settings demand them. */
function spoken(role: string, text: unknown): SpanReading {
  const content = nameOf(text);
  if (text === undefined)
    return { messages: [], losses: [{ channels: lost.everything, reason: `the words of the ${role} are missing` }] };
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

/** Tokens of the cache are counted beside the input. */
function claudeUsage(attributes: Attributes): SpanReading {
  const parts = [attributes.input_tokens, attributes.cache_read_tokens, attributes.cache_creation_tokens].map(count);
  const odd = parts.find((part) => part !== undefined && typeof part !== 'number');
  const whole = parts.reduce<number>((sum, part) => sum + (typeof part === 'number' ? part : 0), 0);
  return {
    messages: [],
    request: {
      usage: readUsage({
        inputTokens: odd ?? (parts[0] === undefined ? undefined : whole),
        cachedInputTokens: parts[1],
        cacheWriteInputTokens: parts[2],
        outputTokens: count(attributes.output_tokens),
      }),
      model: nameOf(attributes.model),
      costUsd: attributes.cost_usd,
    },
  };
}
