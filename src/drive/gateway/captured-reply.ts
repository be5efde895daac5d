import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { createParser } from 'eventsource-parser';
import { parseJson } from '../../shared/json.ts';
import { oneLine } from '../../shared/text.ts';
import type { Codec, WireReply } from '../wire/codec.ts';
import { recordIn } from '../wire/values.ts';
import type { CallReply } from './gateway-apis.ts';

/** Of a longer reply, the end is kept beside the beginning: that is where providers report the tokens. */
const mostHeadBytes = 32 * 1024 * 1024;
const mostTailBytes = 1024 * 1024;
const mostDecodedBytes = 64 * 1024 * 1024;

/** Keeps the bytes of a reply while it passes; they are decoded and read when it is over. */
export class CapturedReply {
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #omittedBytes = 0;

  push(chunk: Buffer): void {
    if (this.#headBytes + chunk.length <= mostHeadBytes && this.#tailBytes === 0) {
      this.#head.push(chunk);
      this.#headBytes += chunk.length;
      return;
    }
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    while (this.#tailBytes > mostTailBytes && this.#tail.length > 1) {
      const dropped = this.#tail.shift()?.length ?? 0;
      this.#tailBytes -= dropped;
      this.#omittedBytes += dropped;
    }
  }

  /** Whether nothing of it was thrown away. */
  get isWhole(): boolean {
    return this.#omittedBytes === 0;
  }

  get bytes(): number {
    return this.#headBytes + this.#tailBytes + this.#omittedBytes;
  }

  /** The text as it was before it was compressed; undefined where it cannot be decoded. */
  text(encoding: string): string | undefined {
    const whole = Buffer.concat([...this.#head, ...this.#tail]);
    const coding = encoding.trim().toLowerCase();
    if (coding === '' || coding === 'identity') return this.#omittedBytes === 0 ? whole.toString('utf8') : this.#gap();
    if (this.#omittedBytes > 0) return undefined;
    try {
      return decoded(whole, coding)?.toString('utf8');
    } catch {
      return undefined;
    }
  }

  #gap(): string {
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)];
    return `${head.toString('utf8')}\n\n: ${this.#omittedBytes} bytes were not kept\n\n${tail.toString('utf8')}`;
  }
}

/** A body that was cut short is decoded as far as it goes. */
function decoded(body: Buffer, coding: string): Buffer | undefined {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: mostDecodedBytes };
  if (coding === 'gzip' || coding === 'x-gzip') return gunzipSync(body, options);
  if (coding === 'deflate') {
    return ((body[0] ?? 0) & 0x0f) === 8 ? inflateSync(body, options) : inflateRawSync(body, options);
  }
  if (coding !== 'br') return undefined;
  return brotliDecompressSync(body, {
    finishFlush: constants.BROTLI_OPERATION_FLUSH,
    maxOutputLength: mostDecodedBytes,
  });
}

/** Encodings of replies and requests that can be read here. */
export const readableEncodings: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'identity']);

/** A request's body before it was compressed; undefined where it cannot be decoded. */
export function decodedRequest(body: Buffer, encoding: string): Buffer | undefined {
  const coding = encoding.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return body;
  try {
    return decoded(body, coding);
  } catch {
    return undefined;
  }
}

/** The facts of a reply: from its events where it was streamed, from its one JSON value otherwise. */
export function readReply(codec: Codec, contentType: string, text: string): CallReply {
  if (contentType.includes('event-stream')) return readStream(codec, text);
  const reply = codec.readReply(parseJson(text));
  return factsOf(reply, reply?.finish !== undefined);
}

/** Most events hold only a part of the answer, and are not parsed. */
function readStream(codec: Codec, text: string): CallReply {
  const stream = codec.openStream();
  const parser = createParser({ onEvent: ({ data }) => void (codec.isFact(data) && stream.add(data)) });
  parser.feed(text);
  return { ...factsOf(stream.reply(), stream.isEnded), error: stream.problem };
}

function factsOf(reply: WireReply | undefined, isComplete: boolean): CallReply {
  const { model, stopReason, usage, error } = reply ?? {};
  return { respondedAs: model, stopReason, usage: isComplete ? usage : undefined, error, isComplete };
}

const longestMessage = 600;

/** The message of an error that a provider answered with, whatever its shape. */
export function errorMessageIn(text: string, status: number): string {
  const [body = {}] = [parseJson(text)].flat().map(recordIn);
  const { error, message } = body;
  const found = [recordIn(error).message, error, message].find((each) => typeof each === 'string' && each !== '');
  const words = oneLine(typeof found === 'string' ? found : text);
  return words === '' ? `HTTP ${status}` : `HTTP ${status}: ${words.slice(0, longestMessage)}`;
}
