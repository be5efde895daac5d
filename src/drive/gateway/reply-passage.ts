import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Usage } from '../../domain/usage.ts';
import { endToEndHeaders } from '../../shared/http/end-to-end-headers.ts';
import type { CallPermit } from './allowance.ts';
import { CapturedReply, readReply } from './captured-reply.ts';
import type { BegunCall } from './gateway-session.ts';
import { limitedStream, limitedWhole } from './limited-reply.ts';
import { ReplyWriter } from './reply-writer.ts';
import type { UpstreamReply } from './upstream.ts';

/** The call that is answered, and the limits of its reply. */
interface PassageLimits {
  /** Undefined for a request other than a call for a reply. */
  readonly call: BegunCall | undefined;
  readonly assertCovers: CallPermit['assertCovers'];
  /** Called before the client has the end of the reply, with what broke it off. */
  readonly beforeEnd?: ((problem?: Error) => void) | undefined;
}

/** An event with which a streamed reply is complete for its client, whatever follows. */
const lastEvent =
  /"message_stop"|data: ?\[DONE\]|"response\.(?:completed|incomplete|failed)"|"finish_?[rR]eason" *: *"/;

/** One reply on its way from the provider to the agent; its bytes are kept beside that. */
export class ReplyPassage {
  readonly #response: ServerResponse;
  readonly #reply: UpstreamReply;
  readonly #limits: PassageLimits;
  readonly #capture = new CapturedReply();
  readonly #heldBack: Buffer[] = [];
  #isOver = false;
  #firstTokenMs: number | undefined;

  constructor(response: ServerResponse, reply: UpstreamReply, limits: PassageLimits) {
    this.#response = response;
    this.#reply = reply;
    this.#limits = limits;
  }

  /** Milliseconds from the beginning of the call. */
  get firstTokenMs(): number | undefined {
    return this.#firstTokenMs;
  }

  get isStream(): boolean {
    return (this.#reply.headers['content-type'] ?? '').includes('event-stream');
  }

  get isWhole(): boolean {
    return this.#capture.isWhole;
  }

  /** The reply as far as it arrived; undefined where it cannot be decoded. */
  get text(): string | undefined {
    return this.#capture.text(this.#encoding);
  }

  get #encoding(): string {
    return this.#reply.headers['content-encoding'] ?? 'identity';
  }

  /**
   * Writes what arrives at the pace of the client; the first bytes go out before anything is read from them. Resolves with
   * what broke the reply off: an AssayError where it would pass a limit.
   */
  run(): Promise<Error | undefined> {
    const response = this.#response;
    const limited = this.#withinLimits();
    if (!limited?.isHeld) this.#sendHead(limited !== undefined);
    const body = limited?.body ?? this.#reply.body;
    return new Promise((resolve) => {
      let writer: ReplyWriter | undefined;
      const write = (chunk: Buffer): void => {
        if (!response.headersSent) this.#sendHead();
        writer ??= new ReplyWriter(response);
        if (writer.write(chunk)) return;
        body.pause();
        writer.onceDrained(() => body.resume());
      };
      body.on('data', (chunk: Buffer) => {
        if (this.#isHeldBack(chunk)) this.#heldBack.push(chunk);
        else write(chunk);
        if (!limited) this.#take(chunk);
      });
      const end = (problem?: Error): void => {
        if (!this.#isOver) this.#limits.beforeEnd?.(problem);
        this.#isOver = true;
        for (const chunk of this.#heldBack.splice(0)) write(chunk);
        resolve(problem);
      };
      body.once('end', () => {
        end();
        if (!response.headersSent) this.#sendHead();
        response.end();
      });
      body.on('error', end);
      body.once('close', () => resolve(new Error('the connection was closed')));
    });
  }

  /** From the end of a reply on, where something has to be done before the client has it. */
  #isHeldBack(chunk: Buffer): boolean {
    if (!this.#limits.beforeEnd) return false;
    if (this.#heldBack.length > 0 || !this.isStream) return true;
    return this.#encoding === 'identity' && lastEvent.test(chunk.toString('latin1'));
  }

  /** Under a limit: the reply as far as it may be passed on. One without readable pieces is held back until it is whole. */
  #withinLimits() {
    const { call, assertCovers } = this.#limits;
    if (!assertCovers || !call || !isGood(this.#reply.status)) return undefined;
    const chunks = this.#taken();
    if (this.isStream && this.#encoding === 'identity')
      return { isHeld: false, body: Readable.from(limitedStream(chunks, call.api, assertCovers)) };
    const read = (): { usage: Usage | undefined; text: string } => {
      const text = this.text ?? '';
      return { usage: readReply(call.api, this.#reply.headers['content-type'] ?? '', text).usage, text };
    };
    return { isHeld: true, body: Readable.from(limitedWhole(chunks, read, assertCovers)) };
  }

  async *#taken(): AsyncGenerator<Buffer, void> {
    for await (const chunk of this.#reply.body) {
      this.#take(chunk as Buffer);
      yield chunk as Buffer;
    }
  }

  /** A stream that may be cut has another length than it was announced with. */
  #sendHead(mayBeCut = false): void {
    const { 'content-length': length, ...passed } = endToEndHeaders(this.#reply.headers);
    const announced = length !== undefined && !mayBeCut && { 'content-length': length };
    this.#response.sendDate = false;
    this.#response.writeHead(this.#reply.status, { ...passed, ...announced });
    this.#response.flushHeaders();
  }

  #take(chunk: Buffer): void {
    this.#capture.push(chunk);
    const { call } = this.#limits;
    if (!call) return;
    call.lastByteMs = performance.now();
    if (this.#firstTokenMs !== undefined) return;
    const isReadable = this.isStream && this.#encoding === 'identity';
    if (isReadable && !call.api.firstToken.test(chunk.toString('latin1'))) return;
    this.#firstTokenMs = call.lastByteMs - call.beganMs;
  }
}

export function isGood(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
