import { createParser } from 'eventsource-parser';
import type { Usage } from '../../domain/usage.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import type { EventCodec, JsonObject } from '../wire/codec.ts';
import { usageIn } from '../wire/reported-usage.ts';
import type { CallPermit } from './allowance.ts';
import { mostTokens } from './token-estimate.ts';

type AssertCovers = NonNullable<CallPermit['assertCovers']>;

const eventEnd = /\r?\n\r?\n/g;
/** Of a larger reply, or event of one, every byte counts as a token. */
const mostHeldBytes = 32 * 1024 * 1024;

/** Passes the events of a stream on one by one; throws an AssayError before the first that would pass a limit. */
export async function* limitedStream(
  chunks: AsyncIterable<Buffer>,
  codec: EventCodec,
  assertCovers: AssertCovers,
): AsyncGenerator<Buffer, void> {
  const count = new ReplyCount(codec, assertCovers);
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk]);
    const end = endOfEvents(held);
    const whole = held.subarray(0, end);
    held = held.subarray(end);
    if (held.length > mostHeldBytes) assertCovers({ outputTokens: held.length });
    for (const event of eventsIn(whole)) {
      count.addEvent(event);
      yield event;
    }
  }
  if (held.length === 0) return;
  count.addEvent(held);
  yield held;
}

/** Behind the last event of a text; where none has ended, its beginning. */
function endOfEvents(bytes: Buffer): number {
  let end = 0;
  for (const { index, 0: mark } of bytes.toString('latin1').matchAll(eventEnd)) end = index + mark.length;
  return end;
}

function* eventsIn(bytes: Buffer): Generator<Buffer> {
  let start = 0;
  for (const { index, 0: mark } of bytes.toString('latin1').matchAll(eventEnd)) {
    yield bytes.subarray(start, index + mark.length);
    start = index + mark.length;
  }
}

/** Counts the tokens of a reply while it passes: the provider's figures where it has given them, and estimates since. */
class ReplyCount {
  readonly #codec: EventCodec;
  readonly #assertCovers: AssertCovers;
  #usage: Usage = {};
  #outputTokens = 0;

  constructor(codec: EventCodec, assertCovers: AssertCovers) {
    this.#codec = codec;
    this.#assertCovers = assertCovers;
  }

  addEvent(bytes: Buffer): void {
    const parser = createParser({ onEvent: ({ data }) => this.#add(parseJson(data)) });
    parser.feed(`${bytes.toString('utf8')}\n\n`);
  }

  addText(text: string): void {
    this.#outputTokens += mostTokens(text);
    this.#assertCovers({ ...this.#usage, outputTokens: Math.ceil(this.#outputTokens) });
  }

  #add(event: unknown): void {
    if (!isRecord(event)) return;
    const { usage } = usageIn(documentIn(event));
    this.#usage = { ...this.#usage, ...usage };
    const text = this.#codec.writtenIn(event);
    this.#outputTokens = usage?.outputTokens ?? this.#outputTokens;
    this.addText(usage?.outputTokens === undefined ? text : '');
  }
}

/** The document of an event that has the figures. */
function documentIn(event: JsonObject): unknown {
  return [event.message, event.response].find(isRecord) ?? event;
}

/** Passes a reply on when all of it has arrived; throws an AssayError where it has passed a limit. */
export async function* limitedWhole(
  chunks: AsyncIterable<Buffer>,
  read: () => { readonly usage: Usage | undefined; readonly text: string },
  assertCovers: AssertCovers,
): AsyncGenerator<Buffer, void> {
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes > mostHeldBytes) assertCovers({ outputTokens: bytes });
  }
  const { usage, text } = read();
  assertCovers({ ...usage, outputTokens: usage?.outputTokens ?? Math.ceil(mostTokens(text)) });
  yield Buffer.concat(held);
}
