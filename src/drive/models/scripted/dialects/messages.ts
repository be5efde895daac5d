import { isRecord } from '../../../../shared/json.ts';
import type { ModelMessage } from '../../model.ts';
import { type Conversation, conversationOf, piecesOf, type ScriptedReply } from '../conversation.ts';
import type { Dialect, Exchange, JsonObject } from './dialect.ts';
import {
  contentText,
  demandedTool,
  filesIn,
  isInstruction,
  recordsIn,
  requiredModel,
  requiredRecords,
  serverSentEvent,
  systemText,
  textIn,
} from './wire-format.ts';

/** The model stands in the address, and not in the body. */
const vertexPath = /\/publishers\/anthropic\/models\/([^/:]+):rawPredict$/;

/** Anthropic's Messages, by its own API and by Vertex AI. */
export const messages: Dialect = {
  name: 'messages',
  environment: (url) => ({ ANTHROPIC_BASE_URL: url }),
  taskOf({ method, pathname, headers }) {
    if (method === 'POST' && /^(\/v1)?\/messages$/.test(pathname)) return { kind: 'converse', open };
    const [, model] = (method === 'POST' && vertexPath.exec(pathname)) || [];
    if (model !== undefined)
      return { kind: 'converse', open: (body) => open({ ...body, model: decodeURIComponent(model) }) };
    if (method === 'POST' && /^(\/v1)?\/messages\/count_tokens$/.test(pathname))
      return { kind: 'count-tokens', read, render: (tokens) => ({ input_tokens: tokens }) };
    // The same path as OpenAI's, distinguished as Anthropic does it: every request must carry this header.
    if (method === 'GET' && /^(\/v1)?\/models$/.test(pathname) && headers['anthropic-version'] !== undefined)
      return { kind: 'list-models', render: renderModels };
    return undefined;
  },
  renderError: (status, message) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'), message },
  }),
};

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function renderModels(model: string): unknown {
  const entry = { type: 'model', id: model, display_name: model, created_at: '1970-01-01T00:00:00Z' };
  return { data: [entry], has_more: false, first_id: model, last_id: model };
}

function open(body: JsonObject): Exchange {
  return { conversation: read(body), streamType: 'text/event-stream', whole, frames };
}

function read(body: JsonObject): Conversation {
  const written = requiredRecords(body, 'messages');
  const tools = recordsIn(body.tools).map(({ name }) => ({ name: textIn(name), isFreeform: false }));
  const choice = isRecord(body.tool_choice) ? body.tool_choice : {};
  return conversationOf({
    path: messages.name,
    model: requiredModel(body),
    isStreaming: body.stream === true,
    system: systemText(body.system, written),
    messages: readMessages(written.filter((message) => !isInstruction(message))),
    tools,
    demandedTool: demandedTool(choice.name, choice.type === 'any', tools),
  });
}

/** Tool results stand in messages of the user; here they are separate messages, before the user's text. */
function readMessages(written: readonly JsonObject[]): ModelMessage[] {
  const toolNames = new Map<string, string>();
  return written.flatMap(({ role, content }): ModelMessage[] => {
    const blocks = recordsIn(content);
    const text = contentText(content);
    if (role === 'assistant') {
      const toolCalls = blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({ callId: textIn(id), tool: textIn(name), input: input ?? {} }));
      for (const { callId, tool } of toolCalls) toolNames.set(callId, tool);
      return [{ role: 'assistant', content: text, toolCalls }];
    }
    const results = blocks
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id: id, content: result }): ModelMessage => {
        const callId = textIn(id);
        return { role: 'tool', callId, tool: toolNames.get(callId) ?? '', content: contentText(result) };
      });
    return text === '' && results.length > 0
      ? results
      : [...results, { role: 'user', content: text, ...filesIn(content) }];
  });
}

function whole(reply: ScriptedReply): unknown {
  const text = reply.text === '' ? [] : [{ type: 'text', text: reply.text }];
  const calls = reply.toolCalls.map(({ callId, tool, input }) => ({ type: 'tool_use', id: callId, name: tool, input }));
  return {
    ...messageOf(reply, [...text, ...calls]),
    stop_reason: stopReasonOf(reply),
    usage: usageOf(reply, reply.usage.outputTokens),
  };
}

function* frames(reply: ScriptedReply): Generator<string> {
  const event = (type: string, fields: JsonObject): string => serverSentEvent({ type, ...fields }, type);
  yield event('message_start', { message: { ...messageOf(reply, []), stop_reason: null, usage: usageOf(reply, 1) } });
  yield event('ping', {});
  for (const [index, { start, deltas }] of blocksOf(reply).entries()) {
    yield event('content_block_start', { index, content_block: start });
    for (const delta of deltas) yield event('content_block_delta', { index, delta });
    yield event('content_block_stop', { index });
  }
  yield event('message_delta', {
    delta: { stop_reason: stopReasonOf(reply), stop_sequence: null },
    usage: { output_tokens: reply.usage.outputTokens },
  });
  yield event('message_stop', {});
}

/** The blocks of a reply: how each begins, and what is added to it piece by piece. */
function blocksOf({ text, toolCalls, pieceCount }: ScriptedReply): { start: JsonObject; deltas: JsonObject[] }[] {
  const textDeltas = piecesOf(text, pieceCount).map((piece) => ({ type: 'text_delta', text: piece }));
  const calls = toolCalls.map(({ callId, tool, input }) => ({
    start: { type: 'tool_use', id: callId, name: tool, input: {} },
    deltas: piecesOf(JSON.stringify(input), pieceCount).map((piece) => ({
      type: 'input_json_delta',
      partial_json: piece,
    })),
  }));
  return text === '' ? calls : [{ start: { type: 'text', text: '' }, deltas: textDeltas }, ...calls];
}

function messageOf({ id, model }: ScriptedReply, content: readonly unknown[]): JsonObject {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, content, stop_sequence: null };
}

function stopReasonOf({ toolCalls }: ScriptedReply): string {
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}

function usageOf({ usage }: ScriptedReply, outputTokens: number): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
  };
}
