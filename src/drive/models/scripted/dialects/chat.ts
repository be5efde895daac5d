import { isRecord } from '../../../../shared/json.ts';
import type { ModelMessage } from '../../model.ts';
import { type Conversation, conversationOf, piecesOf, type ScriptedReply } from '../conversation.ts';
import type { Dialect, Exchange, JsonObject } from './dialect.ts';
import {
  argumentsIn,
  contentText,
  demandedTool,
  filesIn,
  isInstruction,
  openaiEnvironment,
  openaiError,
  openaiModels,
  recordsIn,
  requiredModel,
  requiredRecords,
  serverSentEvent,
  systemText,
  textIn,
} from './wire-format.ts';

/** OpenAI's chat completions, which most other providers speak too. */
export const chat: Dialect = {
  name: 'chat',
  environment: openaiEnvironment,
  taskOf({ method, pathname }) {
    if (
      method === 'POST' &&
      /^(\/v1)?(\/projects\/[^/]+\/locations\/[^/]+\/endpoints\/openapi)?\/chat\/completions$/.test(pathname)
    )
      return { kind: 'converse', open };
    if (method === 'GET' && /^(\/v1)?\/models$/.test(pathname)) return { kind: 'list-models', render: openaiModels };
    return undefined;
  },
  renderError: openaiError,
};

function open(body: JsonObject): Exchange {
  const isUsageWanted = isRecord(body.stream_options) && body.stream_options.include_usage === true;
  return {
    conversation: read(body),
    streamType: 'text/event-stream',
    whole,
    frames: (reply) => frames(reply, isUsageWanted),
  };
}

function read(body: JsonObject): Conversation {
  const messages = requiredRecords(body, 'messages');
  const tools = recordsIn(body.tools).flatMap(({ function: tool }) =>
    isRecord(tool) ? [{ name: textIn(tool.name), isFreeform: false }] : [],
  );
  const choice = body.tool_choice;
  const chosen = isRecord(choice) && isRecord(choice.function) ? choice.function.name : undefined;
  return conversationOf({
    path: chat.name,
    model: requiredModel(body),
    isStreaming: body.stream === true,
    system: systemText(undefined, messages),
    messages: readMessages(messages.filter((message) => !isInstruction(message))),
    tools,
    demandedTool: demandedTool(chosen, choice === 'required', tools),
  });
}

function readMessages(messages: readonly JsonObject[]): ModelMessage[] {
  const toolNames = new Map<string, string>();
  return messages.map((message) => {
    const content = contentText(message.content);
    if (message.role === 'tool') {
      const callId = textIn(message.tool_call_id);
      return { role: 'tool', callId, tool: toolNames.get(callId) ?? '', content };
    }
    if (message.role !== 'assistant') return { role: 'user', content, ...filesIn(message.content) };
    const toolCalls = recordsIn(message.tool_calls).map(({ id, function: called }) => {
      const { name, arguments: input } = isRecord(called) ? called : {};
      return { callId: textIn(id), tool: textIn(name), input: argumentsIn(input) };
    });
    for (const { callId, tool } of toolCalls) toolNames.set(callId, tool);
    return { role: 'assistant', content, toolCalls };
  });
}

function whole(reply: ScriptedReply): unknown {
  const calls = reply.toolCalls.map(({ callId, tool, input }) => ({
    id: callId,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(input) },
  }));
  const message = {
    role: 'assistant',
    content: reply.text === '' && calls.length > 0 ? null : reply.text,
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    ...headerOf(reply, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(reply) }],
    usage: usageOf(reply),
  };
}

function* frames(reply: ScriptedReply, isUsageWanted: boolean): Generator<string> {
  const header = headerOf(reply, 'chat.completion.chunk');
  const usageSlot = isUsageWanted ? { usage: null } : {};
  const chunk = (delta: unknown, finishReason: string | null = null): string =>
    serverSentEvent({ ...header, choices: [{ index: 0, delta, finish_reason: finishReason }], ...usageSlot });
  yield chunk({ role: 'assistant', content: '' });
  for (const content of piecesOf(reply.text, reply.pieceCount)) yield chunk({ content });
  for (const [index, { callId, tool, input }] of reply.toolCalls.entries()) {
    yield chunk({ tool_calls: [{ index, id: callId, type: 'function', function: { name: tool, arguments: '' } }] });
    for (const piece of piecesOf(JSON.stringify(input), reply.pieceCount))
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield chunk({}, finishReasonOf(reply));
  if (isUsageWanted) yield serverSentEvent({ ...header, choices: [], usage: usageOf(reply) });
  yield 'data: [DONE]\n\n';
}

function headerOf({ id, createdAtSecs, model }: ScriptedReply, object: string): JsonObject {
  return { id: `chatcmpl-${id}`, object, created: createdAtSecs, model };
}

function finishReasonOf({ toolCalls }: ScriptedReply): string {
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage: { inputTokens, outputTokens } }: ScriptedReply): JsonObject {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}
