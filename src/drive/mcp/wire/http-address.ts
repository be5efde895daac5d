import { canSendHeader } from '../../../shared/http/exchange.ts';
import { type Redact, redactionOf } from '../../../shared/redaction/redaction.ts';
import { expandVariables } from '../../../shared/variables.ts';
import type { Authorization } from '../authorization/authorization.ts';
import type { HttpServerDefinition } from '../server-definition.ts';
import type { OpenSessionOptions } from '../session.ts';
import { type Fetch, fetchIn } from './environment-fetch.ts';
import { WireError } from './wire.ts';

/** Where a server is and what it is sent with every request. */
export interface HttpAddress {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Takes the values of the headers out of what the server says. */
  readonly redact: Redact;
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
