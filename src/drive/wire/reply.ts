import type { Loss } from '../../domain/loss.ts';
import type { Usage, UsageReading } from '../../domain/usage.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import type { JsonObject, ReplyStream, WirePart, WireReply } from './codec.ts';
import { finishGaps, finishOf } from './finish.ts';
import { usageGaps } from './reported-usage.ts';
import { errorTextIn, textOf } from './values.ts';

/** The parts of a reply as an API has them. */
interface ReadReply {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly parts: readonly WirePart[];
  /** The provider's word for the end; undefined where it gives none. */
  readonly stopReason: string | undefined;
  readonly usage: UsageReading;
  readonly error?: string | undefined;
  readonly unplaced: readonly Loss[];
}

/** A reply with the gaps that its end and its figures show. */
export function replyOf({ id, model, parts, stopReason, usage, error, unplaced }: ReadReply): WireReply {
  const hasCalls = parts.some(({ kind }) => kind === 'call');
  return {
    id: typeof id === 'string' ? id : undefined,
    model: typeof model === 'string' && model !== '' ? model : undefined,
    parts,
    finish: stopReason === undefined ? undefined : finishOf(stopReason, parts),
    stopReason,
    usage: usage.usage,
    error,
    unplaced: [
      ...unplaced,
      ...finishGaps(stopReason, hasCalls),
      ...(hasCalls ? [] : silenceGaps(stopReason, parts, usage.usage)),
      ...usageGaps(usage),
    ],
  };
}

/** Tokens that a model needs to end an answer in which it says nothing. */
const mostEndTokens = 3;

/** An answer in which nothing stands, although the model wrote more than its end, has lost what it wrote. */
function silenceGaps(stopReason: string | undefined, parts: readonly WirePart[], usage: Usage | undefined): Loss[] {
  if (textOf(parts) !== '' || stopReason === undefined || finishOf(stopReason, parts) !== 'stop') return [];
  const { outputTokens, reasoningTokens = 0 } = usage ?? {};
  if (outputTokens !== undefined && outputTokens - reasoningTokens <= mostEndTokens) return [];
  return [{ channels: ['answers', 'tool-calls'], reason: 'the reply holds neither words nor calls', place: 'content' }];
}

/** The common part of the streams of all APIs: the events make the document that the API returns without streaming. */
export abstract class DocumentStream implements ReplyStream {
  problem: string | undefined;
  protected readonly unplaced: Loss[] = [];
  readonly #read: (document: unknown) => WireReply | undefined;

  constructor(read: (document: unknown) => WireReply | undefined) {
    this.#read = read;
  }

  abstract readonly isEnded: boolean;
  abstract addEvent(event: JsonObject): boolean;
  /** Undefined where no event began a reply. */
  protected abstract document(): JsonObject | undefined;

  add(data: string): boolean {
    if (data.trim() === '[DONE]') {
      this.done();
      return false;
    }
    const event = parseJson(data);
    if (!isRecord(event)) {
      this.problem ??= 'an event is not a JSON object';
      return false;
    }
    return this.addEvent(event);
  }

  reply(): WireReply | undefined {
    const document = this.document();
    const reply = document && this.#read(document);
    if (!reply) return undefined;
    return { ...reply, error: reply.error ?? this.problem, unplaced: [...this.unplaced, ...reply.unplaced] };
  }

  /** The mark that some servers put at the end of a stream. */
  protected done(): void {}

  protected fail(event: JsonObject): false {
    this.problem ??= errorTextIn(event) ?? 'it sent an error';
    return false;
  }

  /** Arguments that came in pieces; text that is not JSON has lost some of them. */
  protected argumentsIn(pieces: string): unknown {
    const value = parseJson(pieces);
    if (value === undefined)
      this.unplaced.push({ channels: ['tool-calls'], reason: 'the arguments of a call are not JSON', place: 'stream' });
    return value ?? pieces;
  }

  protected unknownEvent(what: string): false {
    this.unplaced.push({ channels: ['answers', 'tool-calls', 'tool-results'], reason: what, place: 'stream' });
    return false;
  }
}
