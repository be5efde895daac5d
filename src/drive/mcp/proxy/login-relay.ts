import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { AssayError } from '../../../domain/errors.ts';
import { endToEndHeaders } from '../../../shared/http/end-to-end-headers.ts';
import { loopbackServer } from '../../../shared/http/guarded-server.ts';
import type { Clean } from '../../../shared/redaction/redaction.ts';
import { type Authorization, sendAuthorized } from '../authorization/authorization.ts';
import type { HttpServerDefinition } from '../server-definition.ts';
import { withLimitedBody } from '../wire/checked-fetch.ts';
import { type HttpAddress, httpAddressOf } from '../wire/http-address.ts';
import { longestMessageBytes, WireError } from '../wire/wire.ts';

/** A server that requires headers or a login, and who has it. */
interface ProtectedServer {
  /** Its name in messages. */
  readonly label: string;
  readonly definition: HttpServerDefinition;
  /** Undefined where its headers are enough. */
  readonly authorization: Authorization | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether programs may use it that cannot send the key. */
  readonly isWithoutKey?: boolean;
}

/** Says that a request comes from the proxy of the trial, and not from another program of this machine. */
const keyHeader = 'x-assay-relay';

/** Headers that belong to this machine, and those that the other side makes itself. */
const ownHeaders: readonly string[] = [keyHeader, 'host', 'content-length', 'accept-encoding', 'authorization'];

/** Of an answer: the challenge is answered here, and the body is decoded. */
const replacedHeaders: readonly string[] = ['www-authenticate', 'content-encoding', 'content-length'];

/**
 * Stands on loopback between the proxy of an agent, or another program, and a server that requires a login or headers.
 * They are added here, outside of all that the agent can read, and taken out of the answers.
 */
export class LoginRelay implements AsyncDisposable {
  /** Faults of the authorization, which are not those of the agent. */
  readonly faults: AssayError[] = [];
  readonly #protected: ProtectedServer;
  readonly #address: HttpAddress;
  readonly #key = randomUUID();
  readonly #server: Server;
  readonly #stop = new AbortController();

  private constructor(given: ProtectedServer) {
    this.#protected = given;
    this.#address = httpAddressOf(given.definition, given.env);
    this.#server = loopbackServer((request, response) => void this.#answer(request, response));
  }

  static async open(given: ProtectedServer): Promise<LoginRelay> {
    const relay = new LoginRelay(given);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  /** The server as the proxy of the agent reaches it. */
  get definition(): HttpServerDefinition {
    const { oauth: _oauth, ...definition } = this.#protected.definition;
    const { port } = this.#server.address() as AddressInfo;
    const { pathname, search } = this.#address.url;
    return { ...definition, url: `http://127.0.0.1:${port}${pathname}${search}`, headers: { [keyHeader]: this.#key } };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stopped = new AbortController();
    response.once('close', () => stopped.abort());
    try {
      const url = this.#target(request);
      if (!url) return void response.writeHead(404).end();
      await this.#pass(request, response, url, AbortSignal.any([stopped.signal, this.#stop.signal]));
    } catch (error) {
      if (response.headersSent || stopped.signal.aborted) return void response.destroy();
      this.#refuse(error, response);
    }
  }

  /** Only the proxy may use the login, and only for this server. */
  #target({ url = '/', headers }: IncomingMessage): URL | undefined {
    if (headers[keyHeader] !== this.#key && !this.#protected.isWithoutKey) return undefined;
    const { pathname, search } = new URL(url, 'http://relay');
    const target = new URL(`${pathname}${search}`, this.#address.url);
    // The older transport names another path for messages.
    const isReached = this.#protected.definition.transport === 'sse' || pathname === this.#address.url.pathname;
    return isReached && target.origin === this.#address.url.origin ? target : undefined;
  }

  async #pass(request: IncomingMessage, response: ServerResponse, url: URL, signal: AbortSignal): Promise<void> {
    const { authorization } = this.#protected;
    const { method = 'GET' } = request;
    const body = method === 'GET' || method === 'HEAD' ? null : await bodyOf(request);
    const given = { ...passedHeaders(request), ...this.#address.headers };
    const reply = await sendAuthorized(authorization, {
      signal,
      send: (headers) =>
        this.#address.fetch(url, { method, headers: { ...given, ...headers }, body, signal, redirect: 'manual' }),
      refusalIn: ({ status, headers }) => ({ status, challenge: headers.get('www-authenticate') }),
      discard: async (refused) => refused.body?.cancel(),
    });
    const headers = Object.fromEntries([...reply.headers].filter(([name]) => !replacedHeaders.includes(name)));
    response.writeHead(reply.status, endToEndHeaders(headers));
    const redact = (text: string): string => this.#redact(text);
    const limited = withLimitedBody(reply, () => response.destroy());
    if (!limited.body) return void response.end();
    response.flushHeaders();
    // A program that tests the server is to see what it really answers.
    const through = authorization ? [withoutSecrets(redact)] : [];
    await pipeline([Readable.fromWeb(limited.body as never), ...through, response]);
  }

  #refuse(error: unknown, response: ServerResponse): void {
    const isFault = error instanceof WireError;
    const reason = error instanceof Error ? (error.cause ?? error) : error;
    const why = isFault ? error.end.what : `cannot be reached: ${reason instanceof Error ? reason.message : reason}`;
    if (isFault) {
      const message = `The MCP server "${this.#protected.label}" ${why}.`;
      if (!this.faults.some((fault) => fault.message === message)) {
        this.faults.push(new AssayError(error.end.code, message));
      }
    }
    const text = this.#redact(why);
    response.writeHead(isFault ? 403 : 502, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
  }

  #redact(text: string): string {
    const clean = this.#address.redact(text);
    return this.#protected.authorization?.redact(clean) ?? clean;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function passedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const passed = Object.entries(endToEndHeaders(headers)).filter(([name]) => !ownHeaders.includes(name));
  return Object.fromEntries(passed.map(([name, value]) => [name, String(value)]));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > longestMessageBytes) throw new Error('a message is too long');
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Takes secrets out of a body line by line: a message of the protocol is in one line, also in a stream of events. */
function withoutSecrets(redact: Clean): Transform {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = decoder.write(chunk);
      const end = text.lastIndexOf('\n') + 1;
      if (end === 0) {
        rest += text;
        return done();
      }
      const lines = rest + text.slice(0, end);
      rest = text.slice(end);
      done(null, redact(lines));
    },
    flush(done) {
      done(null, redact(rest + decoder.end()));
    },
  });
}
