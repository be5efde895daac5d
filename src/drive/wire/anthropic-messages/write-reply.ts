import type { JsonObject, WirePart, WireReply, WriteOptions } from '../codec.ts';
import { argumentObject, piecesOf, serverSentEvent } from '../values.ts';

export function writeMessageReply(reply: WireReply): JsonObject {
  return {
    ...messageOf(reply, reply.parts.flatMap(writeBlock)),
    stop_reason: stopWord(reply),
    usage: writeUsage(reply, reply.usage?.outputTokens ?? 0),
  };
}

export function* writeMessageStream(reply: WireReply, { pieceCount }: WriteOptions): Generator<string> {
  const event = (type: string, fields: JsonObject): string => serverSentEvent({ type, ...fields }, type);
  yield event('message_start', {
    message: { ...messageOf(reply, []), stop_reason: null, usage: writeUsage(reply, 1) },
  });
  yield event('ping', {});
  for (const [index, block] of reply.parts.flatMap(writeBlock).entries()) {
    const { start, deltas } = growthOf(block, pieceCount);
    yield event('content_block_start', { index, content_block: start });
    for (const delta of deltas) yield event('content_block_delta', { index, delta });
    yield event('content_block_stop', { index });
  }
  const usage = { output_tokens: reply.usage?.outputTokens ?? 0 };
  yield event('message_delta', { delta: { stop_reason: stopWord(reply), stop_sequence: null }, usage });
  yield event('message_stop', {});
}

function writeBlock(part: WirePart): JsonObject[] {
  if (part.kind === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.kind === 'thinking') return [{ type: 'thinking', thinking: part.text, signature: '' }];
  if (part.kind !== 'call') return part.kind === 'block' ? [part.block] : [];
  const { callId: id, tool: name } = part.call;
  return [{ type: 'tool_use', id, name, input: argumentObject(part.call, 'arguments') }];
}

/** How a block begins, and the pieces that are added to it. */
function growthOf(
  block: JsonObject,
  pieceCount: number,
): { readonly start: JsonObject; readonly deltas: JsonObject[] } {
  const pieces = (text: unknown): string[] => piecesOf(String(text), pieceCount);
  if (block.type === 'text') {
    return { start: { ...block, text: '' }, deltas: pieces(block.text).map((text) => ({ type: 'text_delta', text })) };
  }
  if (block.type === 'thinking') {
    const deltas = pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }));
    return { start: { ...block, thinking: '' }, deltas };
  }
  if (block.type !== 'tool_use') return { start: block, deltas: [] };
  const deltas = pieces(JSON.stringify(block.input)).map((piece) => ({
    type: 'input_json_delta',
    partial_json: piece,
  }));
  return { start: { ...block, input: {} }, deltas };
}

function messageOf({ id, model }: WireReply, content: readonly unknown[]): JsonObject {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, content, stop_sequence: null };
}

function stopWord({ finish, stopReason }: WireReply): string {
  return stopReason ?? (finish === 'tool-calls' ? 'tool_use' : 'end_turn');
}

/** The API counts cached input beside the rest. */
function writeUsage({ usage = {} }: WireReply, outputTokens: number): JsonObject {
  const { inputTokens = 0, cachedInputTokens = 0, cacheWriteInputTokens = 0 } = usage;
  return {
    input_tokens: inputTokens - cachedInputTokens - cacheWriteInputTokens,
    cache_creation_input_tokens: cacheWriteInputTokens,
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
  };
}
