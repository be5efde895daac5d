import { untilAborted } from '../../../shared/async.ts';
import type { WireError } from '../wire/wire.ts';
import type { Authorization, AuthorizationHeaders, Refusal } from './authorization.ts';
import { type BearerChallenge, bearerChallenge } from './challenge.ts';
import { type Discovery, discover } from './discovery.ts';
import { authorizationFault } from './fault.ts';
import { assertSecure, OAuthHttp } from './oauth-http.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import { SecretList } from './secret-list.ts';
import {
  type HeldTokens,
  isExpired,
  loginNeeded,
  renewed,
  type TokenContext,
  tokensOfClient,
  tokensOfLogin,
  tokensOfVariable,
} from './token-sources.ts';

const timeoutMs = 30_000;
/** Ends the attempts at a server that refuses every token. */
const mostRefusals = 3;

interface ProtectedServer {
  readonly url: URL;
  readonly settings: OAuthSettings | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Uses a kept login, a refresh token or client credentials; never opens a browser. */
export class BearerAuthorization implements Authorization {
  readonly #url: URL;
  readonly #settings: OAuthSettings | undefined;
  readonly #context: TokenContext;
  #held: HeldTokens | undefined;
  #renewing: Promise<void> | undefined;

  constructor({ url, settings, env }: ProtectedServer) {
    const secrets = new SecretList();
    this.#url = url;
    this.#settings = settings;
    this.redact = secrets.redact;
    const http = new OAuthHttp({ env, timeoutMs, redact: secrets.redact, mcpServer: url });
    // A renewal serves all requests, so no single one of them may end it.
    this.#context = { settings, env, http, secrets, signal: new AbortController().signal };
  }

  readonly redact: Authorization['redact'];

  async headers(signal: AbortSignal): Promise<AuthorizationHeaders> {
    const isDue = this.#held ? isExpired(this.#held) && this.#canRenew() : this.#settings !== undefined;
    if (isDue) await this.#renew(undefined, false, signal);
    return this.#bearer();
  }

  async answer(refusal: Refusal, signal: AbortSignal): Promise<boolean> {
    const { status, sent, refusalsBefore } = refusal;
    const challenge = bearerChallenge(refusal.challenge);
    const isStepUp = status === 403 && challenge?.error === 'insufficient_scope';
    if (status !== 401 && !isStepUp) return false;
    const isCurrent = sent.authorization === this.#bearer().authorization;
    const isNewToken = refusalsBefore > 0 && isCurrent && this.#held?.isNew === true;
    if (status === 401 && (isNewToken || refusalsBefore >= mostRefusals)) throw this.#refusedToken(challenge);
    if (isStepUp && refusalsBefore >= mostRefusals) throw scopesMissing(challenge);
    // Another request has renewed the token meanwhile.
    if (this.#held && !isCurrent) return true;
    await this.#renew(challenge ?? {}, isStepUp, signal);
    return this.#held !== undefined;
  }

  #bearer(): AuthorizationHeaders {
    return this.#held ? { authorization: `Bearer ${this.#held.accessToken}` } : {};
  }

  #canRenew(): boolean {
    return this.#held?.refreshToken !== undefined || this.#settings?.grant === 'client-credentials';
  }

  /** Requests that are refused at the same time wait for the same new token: a refresh token may work only once. */
  #renew(challenge: BearerChallenge | undefined, isStepUp: boolean, signal: AbortSignal): Promise<void> {
    this.#renewing ??= this.#obtain(challenge, isStepUp)
      .then((held) => {
        this.#held = held;
      })
      .finally(() => {
        this.#renewing = undefined;
      });
    return untilAborted(this.#renewing, signal);
  }

  async #obtain(challenge: BearerChallenge | undefined, isStepUp: boolean): Promise<HeldTokens | undefined> {
    const { issuer, grant, refreshTokenEnv } = this.#settings ?? {};
    const { http, signal } = this.#context;
    assertSecure(this.#url);
    const discovery = await discover({ url: this.#url, challenge, issuer }, http, signal);
    if (!discovery) {
      if (this.#settings) throw authorizationFault('it names no authorization server');
      return undefined;
    }
    // Tokens of one authorization server are never shown to another.
    const before = this.#held?.discovery.server.issuer === discovery.server.issuer ? this.#held : undefined;
    const scopes = this.#scopesFor(challenge, discovery, before);
    if (grant === 'client-credentials') return tokensOfClient(discovery, scopes, this.#context);
    if (isStepUp) throw scopesMissing(challenge);
    if (before) return renewed({ ...before, discovery }, this.#context);
    if (refreshTokenEnv === undefined) return tokensOfLogin(discovery, this.#context);
    return tokensOfVariable(refreshTokenEnv, discovery, scopes, this.#context);
  }

  /** The scopes of a challenge are added to those that were requested before, so nothing that worked is lost. */
  #scopesFor(
    challenge: BearerChallenge | undefined,
    discovery: Discovery,
    before: HeldTokens | undefined,
  ): readonly string[] | undefined {
    const first = before?.requestedScopes ?? this.#settings?.scopes;
    const wanted = challenge?.scopes ?? (first ? [] : discovery.scopes);
    return first || wanted ? [...new Set([...(first ?? []), ...(wanted ?? [])])] : undefined;
  }

  #refusedToken(challenge: BearerChallenge | undefined): WireError {
    const issuer = this.#held?.discovery.server.issuer ?? 'the authorization server';
    const { error = 'HTTP 401', errorDescription } = challenge ?? {};
    const why = this.redact(errorDescription === undefined ? error : `${error}: ${errorDescription}`);
    return authorizationFault(
      `it refused the token that ${issuer} had just issued for it (${why})`,
      'MCP_SERVER_REFUSED',
    );
  }
}

function scopesMissing(challenge: BearerChallenge | undefined): WireError {
  const scopes = challenge?.scopes?.join(' ') ?? '';
  if (scopes === '') return loginNeeded('the token lacks a scope that it does not name');
  const option = `--scope ${scopes.replaceAll(' ', ',')}`;
  return loginNeeded(`the token lacks scopes: "${scopes}" are needed (\`assay mcp login ${option}\`)`);
}
