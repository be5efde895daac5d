import type { JsonObject, WirePart, WireReply, WriteOptions } from '../codec.ts';
import { argumentValue, piecesOf, serverSentEvent } from '../values.ts';

export function writeGeminiReply(reply: WireReply): JsonObject {
  const parts = reply.parts.flatMap((part) => writePart(part, 1));
  return responseOf(reply, parts.length > 0 ? parts : [{ text: '' }], true);
}

/** The parts that one becomes: texts are cut into pieces, calls come in one. */
function writePart(part: WirePart, pieceCount: number): JsonObject[] {
  const pieces = (text: string): string[] => (pieceCount === 1 || text === '' ? [text] : piecesOf(text, pieceCount));
  if (part.kind === 'text') return pieces(part.text).map((text) => ({ text }));
  if (part.kind === 'thinking') return pieces(part.text).map((text) => ({ text, thought: true }));
  if (part.kind !== 'call') return part.kind === 'block' ? [part.block] : [];
  const { callId: id, tool: name } = part.call;
  return [{ functionCall: { id, name, args: argumentValue(part.call) } }];
}

/** Each response of a stream is a whole one with some of the parts. */
export function* writeGeminiStream(reply: WireReply, { pieceCount }: WriteOptions): Generator<string> {
  const steps = reply.parts.flatMap((part) => writePart(part, pieceCount));
  if (steps.length === 0) steps.push({ text: '' });
  for (const [index, part] of steps.entries())
    yield serverSentEvent(responseOf(reply, [part], index === steps.length - 1));
}

function responseOf(reply: WireReply, parts: readonly JsonObject[], isLast: boolean): JsonObject {
  const { id, model, stopReason, usage = {} } = reply;
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens, reasoningTokens } = usage;
  return {
    candidates: [
      { content: { parts, role: 'model' }, ...(isLast && { finishReason: stopReason ?? 'STOP' }), index: 0 },
    ],
    usageMetadata: {
      promptTokenCount: inputTokens,
      ...(isLast && {
        candidatesTokenCount: outputTokens - (reasoningTokens ?? 0),
        totalTokenCount: inputTokens + outputTokens,
        ...(reasoningTokens !== undefined && { thoughtsTokenCount: reasoningTokens }),
      }),
      ...(cachedInputTokens !== undefined && { cachedContentTokenCount: cachedInputTokens }),
    },
    modelVersion: model,
    responseId: id,
  };
}
