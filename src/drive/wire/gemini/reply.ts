import type { Loss } from '../../../domain/loss.ts';
import { isRecord } from '../../../shared/json.ts';
import type { JsonObject, WireReply } from '../codec.ts';
import { anyContent, readBlocks } from '../content-blocks.ts';
import { DocumentStream, replyOf } from '../reply.ts';
import { readCounts } from '../reported-usage.ts';
import { errorTextIn, recordIn, recordsIn, someText, textIn } from '../values.ts';

/** Reads a response, or the list of responses of a stream; undefined for any other document. */
export function readGeminiReply(document: unknown): WireReply | undefined {
  if (Array.isArray(document)) return readList(document);
  if (!isRecord(document)) return undefined;
  const { candidates, promptFeedback, error } = document;
  const blocked = someText(recordIn(promptFeedback).blockReason);
  const [candidate] = recordsIn(candidates);
  if (!candidate && blocked === undefined) return undefined;
  const unplaced: Loss[] = [];
  const { parts: listed } = recordIn(candidate?.content);
  const written = Array.isArray(listed) ? listed : undefined;
  const parts = readBlocks(written, 'candidates[0].content.parts', unplaced);
  const stopReason = someText(candidate?.finishReason) ?? blocked;
  if (written === undefined && (stopReason === 'STOP' || listed !== undefined)) {
    unplaced.push({ channels: ['answers', 'tool-calls'], reason: 'the reply has no content', place: 'candidates[0]' });
  }
  return replyOf({
    id: document.responseId,
    model: document.modelVersion,
    parts,
    stopReason,
    usage: readCounts(countsOf(recordIn(document.usageMetadata), parts.length > 0)),
    error: error ? (errorTextIn(document) ?? 'the provider reported an error') : undefined,
    unplaced,
  });
}

/** Gemini leaves out numbers that are zero, which cannot be the one of an answer that is there. */
function countsOf(counts: JsonObject, hasContent: boolean): JsonObject {
  const isSilent = counts.promptTokenCount !== undefined && counts.candidatesTokenCount === undefined && !hasContent;
  return isSilent ? { ...counts, candidatesTokenCount: 0 } : counts;
}

function readList(pieces: readonly unknown[]): WireReply | undefined {
  const stream = new GeminiStream();
  for (const piece of pieces) stream.add(JSON.stringify(piece));
  return stream.reply();
}

/** Files count by rules of the provider, so only its own figures include them. */
export function writtenInPiece({ candidates }: JsonObject): string {
  return recordsIn(candidates)
    .flatMap(({ content }) => recordsIn(recordIn(content).parts))
    .map(({ text, inlineData: _, thoughtSignature: __, ...part }) => `${textIn(text)}${JSON.stringify(part)}`)
    .join('');
}

/** Puts the pieces of a stream together: each is a response with some of the parts, and the counts up to it. */
export class GeminiStream extends DocumentStream {
  #document: JsonObject | undefined;
  #finish: string | undefined;
  /** The counts at the end; those before grow with every piece. */
  #usage: unknown;
  #isInOrder = true;
  readonly #parts: unknown[] = [];
  #hasContent = false;

  constructor() {
    super(readGeminiReply);
  }

  get isEnded(): boolean {
    return this.#finish !== undefined || recordIn(this.#document?.promptFeedback).blockReason !== undefined;
  }

  addEvent(piece: JsonObject): boolean {
    if (piece.error) return this.fail(piece);
    const knownKeys = ['candidates', 'promptFeedback', 'usageMetadata', 'modelVersion', 'responseId'];
    if (!knownKeys.some((key) => piece[key] !== undefined))
      return this.unknownEvent('an event holds no part of a reply');
    const { candidates } = piece;
    const candidate = recordsIn(candidates).find(({ index }) => (index ?? 0) === 0);
    if (candidate && this.#finish !== undefined) this.#loseOrder();
    this.#document = { ...this.#document, ...piece };
    if (candidate?.finishReason !== undefined || this.#finish !== undefined) this.#usage = piece.usageMetadata;
    if (!candidate) return candidates === undefined ? false : this.unknownEvent('an event holds no first candidate');
    this.#finish = someText(candidate.finishReason) ?? this.#finish;
    const { content } = candidate;
    const { parts } = recordIn(content);
    const isEmpty = parts === undefined && (content === undefined || isRecord(content));
    this.#hasContent ||= Array.isArray(parts);
    // The last piece may hold nothing but the end.
    if (!Array.isArray(parts) && !(isEmpty && candidate.finishReason !== undefined))
      this.unknownEvent('a piece has no parts');
    const added: readonly unknown[] = Array.isArray(parts) ? parts : [];
    this.#parts.push(...added);
    return added.some((part) => isRecord(part) && part.thought !== true && textIn(part.text) !== '');
  }

  protected document(): JsonObject | undefined {
    const content = this.#hasContent ? { content: { parts: this.#parts } } : {};
    const candidates =
      this.#document?.candidates === undefined ? undefined : [{ ...content, finishReason: this.#finish }];
    return (
      this.#document && { ...this.#document, candidates, usageMetadata: this.#isInOrder ? this.#usage : undefined }
    );
  }

  /** After the end there are no more pieces, so these came in another order, or twice. */
  #loseOrder(): void {
    this.#isInOrder = false;
    const channels = [...anyContent, 'usage', 'cost'] as const;
    this.unplaced.push({ channels, reason: 'a piece comes after the end', place: 'stream' });
  }
}
