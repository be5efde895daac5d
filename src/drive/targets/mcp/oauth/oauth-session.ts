import { AssayError } from '../../../../domain/errors.ts';
import type { OAuthTest, OAuthTestClient } from '../../../../domain/mcp/oauth-suites.ts';
import { isRecord } from '../../../../shared/json.ts';
import { authorizationRequest } from '../../../mcp/authorization/authorization-code.ts';
import { canonicalAddress } from '../../../mcp/authorization/discovery.ts';
import { findAuthorization } from '../../../mcp/authorization/login.ts';
import type { OAuthHttp, OAuthReply } from '../../../mcp/authorization/oauth-http.ts';
import type { SecretList } from '../../../mcp/authorization/secret-list.ts';
import { clientProof, isRefusal, requestTokens, TokenRefused, type Tokens } from '../../../mcp/authorization/tokens.ts';
import { isHttpServer, type ServerDefinition } from '../../../mcp/server-definition.ts';

/** A request that was granted, or the words of its refusal. */
export type Granted<Value> = { readonly value: Value } | { readonly refusal: string };

type Endpoint = keyof NonNullable<OAuthTest['spec']['server']> &
  ('authorizationEndpoint' | 'tokenEndpoint' | 'revocationEndpoint' | 'deviceAuthorizationEndpoint');

/** A code with all that belongs to it. */
export interface ReceivedCode {
  readonly code: string;
  readonly verifier: string | undefined;
  readonly answer: URLSearchParams;
  readonly state: string;
}

interface CodeOptions {
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  readonly method?: 'S256' | 'plain' | 'none';
  readonly redirectUri?: string;
  readonly params?: Readonly<Record<string, string>>;
}

const mostRedirects = 5;
/** Errors of a server that could not look at the request. */
const notDecided = new Set(['server_error', 'temporarily_unavailable']);

/** The requests of one OAuth test: right ones and wrong ones. */
export class OAuthSession {
  readonly #definition: ServerDefinition;
  readonly #endpoints: OAuthTest['spec']['server'];
  readonly #http: OAuthHttp;
  readonly #secrets: SecretList;
  readonly #signal: AbortSignal;
  #found: ReturnType<typeof findAuthorization> | undefined;

  constructor(
    definition: ServerDefinition,
    endpoints: OAuthTest['spec']['server'],
    { http, secrets, signal }: { readonly http: OAuthHttp; readonly secrets: SecretList; readonly signal: AbortSignal },
  ) {
    this.#definition = definition;
    this.#endpoints = endpoints;
    this.#http = http;
    this.#secrets = secrets;
    this.#signal = signal;
  }

  /** The MCP server as a resource; undefined for one that is started by a command. */
  get resource(): string | undefined {
    return isHttpServer(this.#definition) ? canonicalAddress(new URL(this.#definition.url)) : undefined;
  }

  async requestCode(client: OAuthTestClient, options: CodeOptions): Promise<Granted<ReceivedCode>> {
    const { clientId, redirectUri: registered } = client;
    const { redirectUri = registered, ...given } = options;
    const endpoint = await this.#endpoint('authorizationEndpoint');
    const { url, state, ...announced } = authorizationRequest(endpoint, { clientId, redirectUri, ...given });
    const verifier = announced.verifier || undefined;
    const answer = await this.#answerAt(url, redirectUri);
    if ('refusal' in answer) return answer;
    const { value } = answer;
    const code = value.get('code');
    const error = value.get('error');
    if (code === null && (error === null || notDecided.has(error)))
      throw unobserved(`the authorization endpoint answered ${error ?? 'neither a code nor an error'}`);
    if (code === null) return { refusal: `the answer was ${error}` };
    this.#secrets.add(code, verifier);
    return { value: { code, verifier, answer: value, state } };
  }

  /** Follows a user agent without a page: an authorization server that shows one needs a person. */
  async #answerAt(start: URL, redirectUri: string): Promise<Granted<URLSearchParams>> {
    let url = start;
    for (let redirects = 0; redirects < mostRedirects; redirects++) {
      const { status, headers, summary } = await this.#http.page(url, { accept: 'text/html' }, this.#signal);
      const { location } = headers;
      if (isRefusal(status)) return { refusal: `the authorization endpoint answered ${summary}` };
      if (status >= 400) throw unobserved(`the authorization endpoint answered ${summary}`);
      if (location === undefined || !URL.canParse(location, url.href))
        throw unobserved('the authorization endpoint shows a page, where a person has to agree');
      url = new URL(location, url);
      if (url.href.split('?')[0] === redirectUri) return { value: url.searchParams };
    }
    throw unobserved(`the authorization endpoint redirected more than ${mostRedirects} times`);
  }

  exchange(
    client: OAuthTestClient,
    { code, verifier, redirectUri = client.redirectUri, resource }: ExchangedCode,
  ): Promise<Granted<Tokens>> {
    const fields = {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
      resource,
    };
    return this.tokens(client, fields);
  }

  /** Requests tokens of whatever grant. */
  async tokens(
    client: OAuthTestClient,
    grant: Readonly<Record<string, string | undefined>>,
    authentication = 'client_secret_basic',
  ): Promise<Granted<Tokens>> {
    const tokenEndpoint = await this.#endpoint('tokenEndpoint');
    this.#secrets.add(client.clientSecret);
    const server = { tokenEndpoint, tokenAuthMethods: [authentication] };
    try {
      const tokens = await requestTokens(server, client, grant, this.#http, this.#signal);
      this.#secrets.add(tokens.accessToken, tokens.refreshToken);
      return { value: tokens };
    } catch (error) {
      if (error instanceof TokenRefused) return { refusal: `the token endpoint answered ${error.message}` };
      throw error;
    }
  }

  async revoke(client: OAuthTestClient | undefined, token: string): Promise<OAuthReply> {
    const { fields, headers } = client ? clientProof(client, undefined) : { fields: {}, headers: {} };
    return this.#http.form(await this.#endpoint('revocationEndpoint'), { token, ...fields }, headers, this.#signal);
  }

  async requestDeviceCode(client: OAuthTestClient): Promise<OAuthReply> {
    const { clientId, scope, resourceIndicators } = client;
    const resource = resourceIndicators[0]?.resourceUri ?? this.resource;
    const fields = { client_id: clientId, scope: scope.join(' ') || undefined, resource };
    return this.#http.form(await this.#endpoint('deviceAuthorizationEndpoint'), fields, {}, this.#signal);
  }

  open(page: URL): Promise<OAuthReply> {
    return this.#http.page(page, { accept: 'text/html' }, this.#signal);
  }

  /** Whether the MCP server accepts a token. */
  async useToken(token: string): Promise<Granted<string>> {
    if (!isHttpServer(this.#definition)) throw unobserved('a server that has no URL takes no tokens');
    this.#secrets.add(token);
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'assay', version: '1' },
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' };
    const reply = await this.#http.json(new URL(this.#definition.url), message, this.#signal, headers);
    const { status, summary } = reply;
    if (status === 401 || status === 403) return { refusal: `the MCP server refused the token: ${summary}` };
    // A server of another version of the protocol refuses the message, not the token, and says so in JSON-RPC.
    const isAnswered = status >= 200 && status < 300;
    if (isAnswered || (status === 400 && isRecord(reply.body.error)))
      return { value: 'the MCP server accepted the token' };
    throw unobserved(`the MCP server answered ${summary}`);
  }

  /** An endpoint of the test, or of the metadata. */
  async #endpoint(name: Endpoint): Promise<URL> {
    const named = this.#endpoints?.[name];
    if (named !== undefined) return new URL(named);
    if (!isHttpServer(this.#definition)) throw unobserved(`the test does not name the \`${name}\``);
    const { url, oauth: settings } = this.#definition;
    const options = { url: new URL(url), settings, scopes: [], signal: this.#signal };
    this.#found ??= findAuthorization(options, this.#http);
    const { discovery } = await this.#found;
    const found = discovery.server[name];
    if (!found) throw unobserved(`the authorization server has no ${name}`);
    return found;
  }
}

interface ExchangedCode {
  readonly code: string;
  readonly verifier: string | undefined;
  readonly redirectUri?: string;
  readonly resource: string | undefined;
}

/** A requirement that cannot be looked at is neither met nor broken. */
export function unobserved(why: string): AssayError {
  return new AssayError('NOT_OBSERVED', `Could not be judged: ${why}.`, {
    hint: 'Give the test a client and a server with which the answer can be observed without a person.',
  });
}
