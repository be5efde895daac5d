import type { JsonObject, WirePart, WireReply, WriteOptions } from '../codec.ts';
import { argumentText, argumentValue, piecesOf } from '../values.ts';

export function writeConverseReply(reply: WireReply): JsonObject {
  return {
    output: { message: { role: 'assistant', content: reply.parts.flatMap(writeBlock) } },
    stopReason: stopWord(reply),
    usage: writeUsage(reply),
    metrics: { latencyMs: 1 },
  };
}

function writeBlock(part: WirePart): JsonObject[] {
  if (part.kind === 'text') return part.text === '' ? [] : [{ text: part.text }];
  if (part.kind === 'thinking') return [{ reasoningContent: { reasoningText: { text: part.text } } }];
  if (part.kind !== 'call') return part.kind === 'block' ? [part.block] : [];
  return [{ toolUse: { toolUseId: part.call.callId, name: part.call.tool, input: argumentValue(part.call) } }];
}

/** The events of ConverseStream as JSON lines; on the wire each is the payload of a binary frame. */
export function* writeConverseStream(reply: WireReply, { pieceCount }: WriteOptions): Generator<string> {
  const event = (name: string, fields: JsonObject): string => `${JSON.stringify({ [name]: fields })}\n`;
  yield event('messageStart', { role: 'assistant' });
  const parts = reply.parts.filter((part) => writeBlock(part).length > 0);
  for (const [contentBlockIndex, part] of parts.entries()) {
    const { start, deltas } = growthOf(part, pieceCount);
    if (start) yield event('contentBlockStart', { contentBlockIndex, start });
    for (const delta of deltas) yield event('contentBlockDelta', { contentBlockIndex, delta });
    yield event('contentBlockStop', { contentBlockIndex });
  }
  yield event('messageStop', { stopReason: stopWord(reply) });
  yield event('metadata', { usage: writeUsage(reply), metrics: { latencyMs: 1 } });
}

function growthOf(part: WirePart, pieceCount: number): { readonly start?: JsonObject; readonly deltas: JsonObject[] } {
  if (part.kind === 'text') return { deltas: piecesOf(part.text, pieceCount).map((text) => ({ text })) };
  if (part.kind === 'thinking') {
    return { deltas: piecesOf(part.text, pieceCount).map((text) => ({ reasoningContent: { text } })) };
  }
  if (part.kind !== 'call') return { deltas: [] };
  const start = { toolUse: { toolUseId: part.call.callId, name: part.call.tool } };
  return { start, deltas: piecesOf(argumentText(part.call), pieceCount).map((input) => ({ toolUse: { input } })) };
}

function stopWord({ finish, stopReason }: WireReply): string {
  return stopReason ?? (finish === 'tool-calls' ? 'tool_use' : 'end_turn');
}

/** Bedrock counts cached input beside the rest. */
function writeUsage({ usage = {} }: WireReply): JsonObject {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens, cacheWriteInputTokens } = usage;
  const isCached = cachedInputTokens !== undefined || cacheWriteInputTokens !== undefined;
  return {
    inputTokens: inputTokens - (cachedInputTokens ?? 0) - (cacheWriteInputTokens ?? 0),
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(isCached && {
      cacheReadInputTokens: cachedInputTokens ?? 0,
      cacheWriteInputTokens: cacheWriteInputTokens ?? 0,
    }),
  };
}
