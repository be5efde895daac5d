import { HttpFailure } from '../../../shared/http/exchange.ts';
import { HttpClient, type HttpResponse } from '../../../shared/http/http-client.ts';
import { isRecord, parseJson } from '../../../shared/json.ts';
import type { Clean } from '../../../shared/redaction/redaction.ts';
import { printable } from '../../../shared/text.ts';
import { WireError } from '../wire/wire.ts';
import { authorizationFault } from './fault.ts';

const bodyLimitBytes = 1024 * 1024;
const mostRedirects = 3;
const shownChars = 200;

type Json = Readonly<Record<string, unknown>>;

/** An answer of an authorization server; `body` is empty where it was not a JSON object. */
export interface OAuthReply {
  readonly status: number;
  readonly body: Json;
  /** How it is quoted in messages. */
  readonly summary: string;
  readonly headers: HttpResponse['headers'];
}

interface HttpOptions {
  /** Where proxies are named. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly redact: Clean;
  /** The MCP server that is to be used: one that cannot be reached has required no login. */
  readonly mcpServer?: URL;
}

/** Requests to authorization servers and for their metadata: bounded, and never in the clear to another machine. */
export class OAuthHttp implements Disposable {
  readonly #client: HttpClient;
  readonly #timeoutMs: number;
  readonly #redact: Clean;
  readonly #mcpServer: URL | undefined;

  constructor({ env, timeoutMs, redact, mcpServer }: HttpOptions) {
    this.#client = new HttpClient({ env });
    this.#timeoutMs = timeoutMs;
    this.#redact = redact;
    this.#mcpServer = mcpServer;
  }

  /** A document of metadata; undefined where there is none at this address. */
  async document(address: URL, signal: AbortSignal): Promise<Json | undefined> {
    let url = address;
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
      const response = await this.#send(url, { method: 'GET', headers: { accept: 'application/json' } }, signal);
      const location = response.status >= 300 && response.status < 400 ? response.headers.location : undefined;
      if (location === undefined) return this.#documentIn(response, address);
      if (!URL.canParse(location, url.href))
        throw authorizationFault(`${address.href} redirects to an invalid address`);
      url = new URL(location, url);
    }
    throw authorizationFault(`${address.href} redirects more than ${mostRedirects} times`);
  }

  /** Sends a form. A redirect is an answer like any other, because credentials must not follow it. */
  form(
    url: URL,
    fields: Readonly<Record<string, string | undefined>>,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<OAuthReply> {
    const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
    const body = new URLSearchParams(given).toString();
    return this.#post(url, body, { 'content-type': 'application/x-www-form-urlencoded', ...headers }, signal);
  }

  json(url: URL, data: Json, signal: AbortSignal, headers: Readonly<Record<string, string>> = {}): Promise<OAuthReply> {
    return this.#post(url, JSON.stringify(data), { 'content-type': 'application/json', ...headers }, signal);
  }

  /** Opens a page as a browser would, without following redirects. */
  async page(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<OAuthReply> {
    return this.#replyIn(await this.#send(url, { method: 'GET', headers }, signal));
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  async #post(
    url: URL,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<OAuthReply> {
    const given = { accept: 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers };
    return this.#replyIn(await this.#send(url, { method: 'POST', headers: given, body }, signal));
  }

  #documentIn({ status, body }: HttpResponse, address: URL): Json | undefined {
    if (status >= 400 && status < 500) return undefined;
    if (status !== 200) throw authorizationFault(`${address.href} answered HTTP ${status}`);
    const document = parseJson(body);
    if (!isRecord(document)) throw authorizationFault(`${address.href} is not a JSON object`);
    return document;
  }

  #replyIn({ status, body: text, headers }: HttpResponse): OAuthReply {
    const body = parseJson(text);
    const excerpt = isRecord(body) && typeof body.error === 'string' ? errorIn(body) : text;
    const summary = `HTTP ${status} ${printable(this.#redact(excerpt)).trim().slice(0, shownChars)}`.trim();
    return { status, body: isRecord(body) ? body : {}, summary, headers };
  }

  async #send(
    url: URL,
    request: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string },
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    assertSecure(url);
    const limit = AbortSignal.timeout(this.#timeoutMs);
    try {
      const both = AbortSignal.any([signal, limit]);
      return await this.#client.send({ body: undefined, ...request, url, signal: both, bodyLimitBytes });
    } catch (error) {
      if (signal.aborted) throw error;
      const where = `${url.origin}${url.pathname}`;
      if (limit.aborted) throw authorizationFault(`${where} did not answer within ${this.#timeoutMs} ms`);
      if (!(error instanceof HttpFailure)) throw error;
      const what = `cannot be reached: ${printable(this.#redact(error.message))}`;
      if (url.origin === this.#mcpServer?.origin) throw new WireError({ code: 'MCP_SERVER_UNREACHABLE', what });
      throw authorizationFault(`${where} ${what}`);
    }
  }
}

function errorIn({ error, error_description: description }: Json): string {
  return typeof description === 'string' ? `${error}: ${description}` : String(error);
}

/** Tokens and codes travel in these requests. */
export function assertSecure(url: URL): void {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return;
  throw authorizationFault(`${url.origin}${url.pathname} is not an https address`);
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
