import type { UsageReading } from '../../domain/usage.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import type { Finish, JsonObject, ReplyStream, Unplaced, WirePart, WireReply } from './codec.ts';
import { usageGaps } from './reported-usage.ts';
import { errorTextIn } from './values.ts';

/** The parts of a reply as an API has them. */
interface ReadReply {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly parts: readonly WirePart[];
  /** The provider's word for the end; undefined where it gives none. */
  readonly stopReason: string | undefined;
  /** What the words of the API mean. */
  readonly finishes: Readonly<Record<string, Finish>>;
  readonly usage: UsageReading;
  readonly error?: string | undefined;
  readonly unplaced: readonly Unplaced[];
}

/** A reply with the gaps that its end and its figures show. */
export function replyOf({ id, model, parts, stopReason, finishes, usage, error, unplaced }: ReadReply): WireReply {
  const finish = stopReason === undefined ? undefined : finishOf(finishes[stopReason] ?? 'other', parts);
  return {
    id: typeof id === 'string' ? id : undefined,
    model: typeof model === 'string' && model !== '' ? model : undefined,
    parts,
    finish,
    stopReason,
    usage: usage.usage,
    error,
    unplaced: [...unplaced, ...finishGaps(finish, stopReason ?? '', parts), ...usageGaps(usage)],
  };
}

/** Some servers say `stop` although they ask for tools; calls that have a result were run by the provider. */
function finishOf(finish: Finish, parts: readonly WirePart[]): Finish {
  if (finish !== 'stop') return finish;
  const answered = new Set(parts.flatMap((part) => (part.kind === 'result' ? [part.result.callId] : [])));
  return parts.some((part) => part.kind === 'call' && !answered.has(part.call.callId)) ? 'tool-calls' : 'stop';
}

/** What an end says that was meant and is not there. */
function finishGaps(finish: Finish | undefined, word: string, parts: readonly WirePart[]): Unplaced[] {
  const place = 'finish reason';
  switch (finish) {
    case 'length':
      return [
        { channels: ['answers', 'tool-calls'], reason: `the reply was cut at its longest length (${word})`, place },
      ];
    case 'content-filter':
      return [
        { channels: ['answers', 'tool-calls'], reason: `the provider held back a part of the reply (${word})`, place },
      ];
    case 'pause':
      return [
        { channels: ['answers', 'tool-calls', 'tool-results'], reason: `the model only paused (${word})`, place },
      ];
    case 'other':
      return [{ channels: ['answers', 'tool-calls'], reason: `the reply ended in an unknown way (${word})`, place }];
    case 'tool-calls':
      if (parts.some(({ kind }) => kind === 'call')) return [];
      return [
        { channels: ['tool-calls'], reason: `the reply says that it calls tools and holds no call (${word})`, place },
      ];
    default:
      return [];
  }
}

/** The gap of a reply that does not say how it ended. */
export const endless: Unplaced = {
  channels: ['answers', 'tool-calls', 'tool-results'],
  reason: 'the reply does not say how it ended',
  place: 'finish reason',
};

/** What the streams of all APIs have in common: the events make the document that the API returns without streaming. */
export abstract class DocumentStream implements ReplyStream {
  problem: string | undefined;
  protected readonly unplaced: Unplaced[] = [];
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

  protected unknownEvent(what: string): false {
    this.unplaced.push({ channels: ['answers', 'tool-calls', 'tool-results'], reason: what, place: 'stream' });
    return false;
  }
}
