import { canSendHeader } from '../../../shared/http/exchange.ts';
import { type Clean, redactDeep, redactionOf } from '../../../shared/redaction/redaction.ts';
import { expandVariables } from '../../../shared/variables.ts';
import type { Authorization } from '../authorization/authorization.ts';
import { Authorizations } from '../authorization/authorizations.ts';
import type { HttpServerDefinition } from '../server-definition.ts';
import type { OpenSessionOptions } from '../session.ts';
import { type Fetch, fetchIn } from './environment-fetch.ts';
import { type Wire, WireError, type WireListener } from './wire.ts';
import { listenerAround } from './wire-around.ts';

/** Where a server is and what it is sent with every request. */
export interface HttpAddress {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Takes the values of the headers out of what the server says. */
  readonly redact: Clean;
  /** Sends requests, through a proxy where the environment names one. */
  readonly fetch: Fetch;
}

/** With what proves to the server who sends the requests. */
export interface AuthorizedAddress extends HttpAddress {
  readonly authorization: Authorization | undefined;
}

/** The address of a server with its variables filled in; a user and password in it become a header. */
export function httpAddressOf(definition: HttpServerDefinition, env: OpenSessionOptions['env']): HttpAddress {
  const { url: text, headers: given } = expandVariables(definition, env);
  const url = readUrl(text);
  const headers = { ...signIn(url), ...given };
  for (const [name, value] of Object.entries(headers)) {
    if (!canSendHeader(name, value)) throw unusable(`its header "${name}" has a name or value that cannot be sent`);
  }
  const words = Object.values(headers).flatMap((value) => [value, ...value.split(' ')]);
  const secrets = [...words, url.password, ...url.searchParams.values()];
  url.username = '';
  url.password = '';
  return { url, headers, redact: redactionOf(secrets), fetch: fetchIn(env) };
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw unusable('its address is not an http or https URL');
  return url;
}

function signIn({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function unusable(why: string): WireError {
  return new WireError({ code: 'MCP_SERVER_UNREACHABLE', what: `cannot be reached: ${why}` });
}

type Options = Pick<OpenSessionOptions, 'env' | 'timeoutMs' | 'signal' | 'authorizations'>;

/** A wire over streamable HTTP, or over the older pair of an event stream and posts. */
export async function openHttpWire(
  definition: HttpServerDefinition,
  options: Options,
  listener: WireListener,
): Promise<Wire> {
  const given = httpAddressOf(definition, options.env);
  const authorization = (options.authorizations ?? new Authorizations()).to(definition, options.env);
  const redact: Clean = authorization ? (text) => authorization.redact(given.redact(text)) : given.redact;
  const address = { ...given, redact, authorization };
  // A server may repeat the token that it got, in whatever it says.
  const listening = authorization ? withoutTokens(listener, authorization) : listener;
  if (definition.transport === 'sse') {
    const { openEventStream } = await import('./event-stream-wire.ts');
    return openEventStream(address, options, listening);
  }
  const { StreamableWire } = await import('./streamable-wire.ts');
  return new StreamableWire(address, listening);
}

function withoutTokens(listener: WireListener, { redact }: Authorization): WireListener {
  return listenerAround(listener, {
    onMessage: (message) => listener.onMessage(redactDeep(message, redact)),
    onStray: (text) => listener.onStray(redact(text)),
  });
}
