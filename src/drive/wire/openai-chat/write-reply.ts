import type { JsonObject, WireReply, WriteOptions } from '../codec.ts';
import { argumentText, callsOf, piecesOf, recordIn, serverSentEvent, textOf } from '../values.ts';

export function writeChatReply(reply: WireReply, { createdAtSecs }: WriteOptions): JsonObject {
  const text = textOf(reply.parts);
  const thinking = thinkingOf(reply);
  const calls = callsOf(reply.parts).map((call) => ({
    id: call.callId,
    type: 'function',
    function: { name: call.tool, arguments: argumentText(call) },
  }));
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(thinking !== '' && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    ...headOf(reply, 'chat.completion', createdAtSecs),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishWord(reply) }],
    usage: writeUsage(reply),
  };
}

export function* writeChatStream(
  reply: WireReply,
  { createdAtSecs, pieceCount, body }: WriteOptions,
): Generator<string> {
  const isUsageWanted = recordIn(body.stream_options).include_usage === true;
  const head = headOf(reply, 'chat.completion.chunk', createdAtSecs);
  const usageSlot = isUsageWanted ? { usage: null } : {};
  const chunk = (delta: unknown, finish: string | null = null): string =>
    serverSentEvent({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], ...usageSlot });
  yield chunk({ role: 'assistant', content: '' });
  for (const piece of piecesOf(thinkingOf(reply), pieceCount)) yield chunk({ reasoning_content: piece });
  for (const content of piecesOf(textOf(reply.parts), pieceCount)) yield chunk({ content });
  for (const [index, call] of callsOf(reply.parts).entries()) {
    yield chunk({
      tool_calls: [{ index, id: call.callId, type: 'function', function: { name: call.tool, arguments: '' } }],
    });
    for (const piece of piecesOf(argumentText(call), pieceCount))
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield chunk({}, finishWord(reply));
  if (isUsageWanted) yield serverSentEvent({ ...head, choices: [], usage: writeUsage(reply) });
  yield 'data: [DONE]\n\n';
}

function thinkingOf({ parts }: WireReply): string {
  return parts.flatMap((part) => (part.kind === 'thinking' ? [part.text] : [])).join('');
}

function headOf({ id, model }: WireReply, object: string, created: number): JsonObject {
  return { id: `chatcmpl-${id}`, object, created, model };
}

function finishWord({ finish, stopReason }: WireReply): string {
  return stopReason ?? (finish === 'tool-calls' ? 'tool_calls' : 'stop');
}

function writeUsage({ usage = {} }: WireReply): JsonObject {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cachedInputTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedInputTokens } }),
    ...(reasoningTokens !== undefined && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}
