import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf } from '../../support/http-server.ts';
import type { OAuthSwitches } from './switches.ts';

interface Grant {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly resource: string;
  /** All tokens that came from one login, which fall together. */
  readonly family: string;
}

interface Code extends Grant {
  readonly redirectUri: string;
  readonly challenge: string | null;
  isUsed: boolean;
}

interface IssuedToken extends Grant {
  readonly expiresAtMs: number;
}

export const confidentialClient = { id: 'service-client', secret: 'service-secret-5f1e9c' };
export const publicClient = 'registered-client';
const redirectOf = (client: string): string | undefined =>
  client === publicClient ? 'http://127.0.0.1/callback' : undefined;

/** A small authorization server with real grants, in memory. */
export class AuthorizationServer {
  readonly switches: OAuthSwitches;
  /** Everything secret that was ever handed out or taken, for tests that look for it. */
  readonly secrets = new Set<string>([confidentialClient.secret]);
  /** The forms that the token endpoint got. */
  readonly tokenRequests: URLSearchParams[] = [];
  readonly authorizations: URLSearchParams[] = [];
  readonly registrations: Record<string, unknown>[] = [];
  readonly #clients = new Map<string, string[]>();
  readonly #codes = new Map<string, Code>();
  readonly #access = new Map<string, IssuedToken>();
  readonly #refresh = new Map<string, Grant & { isUsed: boolean }>();
  readonly #devices = new Map<string, Grant & { isApproved: boolean }>();
  readonly #revokedFamilies = new Set<string>();
  readonly #revokedTokens = new Set<string>();
  issuer = '';

  constructor(switches: OAuthSwitches) {
    this.switches = switches;
  }

  get metadata(): Record<string, unknown> {
    const { switches, issuer } = this;
    const at = (path: string): string => `${issuer}${path}`;
    return {
      issuer: switches.otherIssuer ? 'https://login.example.com' : issuer,
      authorization_endpoint: switches.loginPage ?? at('/authorize'),
      token_endpoint: switches.insecureTokenEndpoint ? 'http://login.example.com/token' : at('/token'),
      revocation_endpoint: at('/revoke'),
      device_authorization_endpoint: at('/device'),
      ...(!switches.noRegistration && { registration_endpoint: at('/register') }),
      ...(!switches.noPkceMetadata && { code_challenge_methods_supported: ['S256'] }),
      scopes_supported: ['files:read', 'files:write', 'offline_access'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: switches.takesMetadataDocuments === true,
    };
  }

  /** The token, if it may be used at this resource now. */
  validate(token: string, resource: string): Grant | string {
    const { takesAnyAudience, takesExpired, takesRevoked, takesAnyToken, refusesTokens } = this.switches;
    const found = this.#access.get(token);
    const anything = { clientId: '', scopes: ['files:read', 'files:write'], resource, family: '' };
    if (!found) return takesAnyToken ? anything : 'the token is unknown';
    if (refusesTokens) return 'the token is not good enough';
    if (found.resource !== resource && !takesAnyAudience) return 'the token is for another audience';
    if (found.expiresAtMs <= Date.now() && !takesExpired) return 'the token has expired';
    const isRevoked = this.#revokedFamilies.has(found.family) || this.#revokedTokens.has(token);
    return isRevoked && !takesRevoked ? 'the token was revoked' : found;
  }

  /** Ends all tokens, as an administrator would. */
  revokeAll(): void {
    for (const { family } of this.#access.values()) this.#revokedFamilies.add(family);
  }

  /** Ends the access tokens and leaves the refresh tokens. */
  expireAccess(): void {
    for (const [token, issued] of this.#access) this.#access.set(token, { ...issued, expiresAtMs: 0 });
  }

  /** A refresh token of an earlier login. */
  loginOf(clientId: string, resource: string, scopes: readonly string[] = ['files:read']): string {
    return String(this.#issue({ clientId, resource, scopes, family: secret() }, true).refresh_token);
  }

  async handle(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const url = new URL(request.url ?? '/', 'http://any');
    const isBusy =
      this.authorizations.length + this.tokenRequests.length >= (this.switches.overloadedAfter ?? Infinity);
    if (isBusy && ['/authorize', '/token'].includes(path)) json(response, 503, { error: 'temporarily_unavailable' });
    else if (path === '/authorize') this.#authorize(url.searchParams, response);
    else if (path === '/approve') this.#approve(url.searchParams, response);
    else if (path === '/token') await this.#token(request, response);
    else if (path === '/register') await this.#register(request, response);
    else if (path === '/revoke') await this.#revoke(request, response);
    else if (path === '/device') await this.#device(request, response);
    else return false;
    return true;
  }

  #authorize(given: URLSearchParams, response: ServerResponse): void {
    const { switches } = this;
    this.authorizations.push(given);
    const clientId = given.get('client_id') ?? '';
    const redirectUri = given.get('redirect_uri') ?? '';
    if (!this.#mayRedirect(clientId, redirectUri) && !switches.redirectsAnywhere)
      return void response.writeHead(400).end('redirect_uri is not registered');
    if (switches.showsPage) return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>');
    const back = new URL(redirectUri);
    const answer = (values: Record<string, string>): void => {
      const iss = switches.otherIss ? 'https://login.example.com' : this.issuer;
      const state = switches.otherState ? 'another-state' : given.get('state');
      if (!switches.missingIss) back.searchParams.set('iss', iss);
      if (state !== null && !switches.dropsState) back.searchParams.set('state', state);
      for (const [name, value] of Object.entries(values)) back.searchParams.set(name, value);
      response.writeHead(302, { location: back.href }).end();
    };
    const challenge = given.get('code_challenge');
    const isS256 = challenge !== null && given.get('code_challenge_method') === 'S256';
    if (switches.denies) return void answer({ error: 'access_denied', error_description: 'the user refused' });
    if (!isS256 && !switches.ignoresVerifier)
      return void answer({ error: 'invalid_request', error_description: 'no PKCE' });
    const code = secret();
    this.secrets.add(code);
    const scopes = (given.get('scope') ?? '').split(' ').filter(Boolean);
    const resource = given.get('resource') ?? '';
    this.#codes.set(code, { clientId, redirectUri, challenge, scopes, resource, family: secret(), isUsed: false });
    answer({ code });
  }

  /** Any port of the loopback address may be used (RFC 8252). */
  #mayRedirect(clientId: string, redirectUri: string): boolean {
    if (!URL.canParse(redirectUri)) return false;
    const { hostname, pathname, protocol } = new URL(redirectUri);
    const registered = [...(this.#clients.get(clientId) ?? []), redirectOf(clientId) ?? []].flat();
    const isDocument = this.switches.takesMetadataDocuments === true && clientId.startsWith('https://');
    const candidates = isDocument ? ['http://127.0.0.1/callback'] : registered;
    return candidates.some((one) => one === redirectUri || `${protocol}//${hostname}${pathname}` === withoutPort(one));
  }

  async #register(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wanted = JSON.parse(await bodyOf(request)) as Record<string, unknown>;
    this.registrations.push(wanted);
    if (this.switches.refusesRegistration)
      return json(response, 400, { error: 'invalid_redirect_uri', error_description: 'only https is taken' });
    const clientId = `client-${secret()}`;
    this.#clients.set(clientId, wanted.redirect_uris as string[]);
    json(response, 201, { ...wanted, client_id: clientId });
  }

  async #token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { switches } = this;
    const form = new URLSearchParams(await bodyOf(request));
    this.tokenRequests.push(form);
    if (switches.tokenRedirects) return void response.writeHead(307, { location: '/elsewhere' }).end();
    if (switches.tokenPage) return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Oops</h1>');
    const client = clientIn(request, form);
    if (client.secret !== undefined && client.secret !== confidentialClient.secret)
      return json(response, 401, { error: 'invalid_client', error_description: 'wrong secret' });
    const grant = this.#grantFor(form, client);
    if (typeof grant === 'string') return json(response, 400, { error: grant, error_description: `refused: ${grant}` });
    json(response, 200, this.#issue(grant, form.get('grant_type') !== 'client_credentials'));
  }

  #grantFor(
    form: URLSearchParams,
    client: { readonly id: string; readonly secret: string | undefined },
  ): Grant | string {
    const resource = this.switches.ignoresResource ? 'https://other.example.com' : (form.get('resource') ?? '');
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return this.#codeGrant(form, client.id, resource);
      case 'refresh_token':
        return this.#refreshGrant(form.get('refresh_token') ?? '', client.id);
      case 'client_credentials': {
        if (client.secret === undefined || client.id !== confidentialClient.id) return 'invalid_client';
        const scopes = (form.get('scope') ?? 'files:read').split(' ');
        return { clientId: client.id, scopes, resource, family: secret() };
      }
      case 'urn:ietf:params:oauth:grant-type:device_code': {
        const device = this.#devices.get(form.get('device_code') ?? '');
        if (!device) return 'expired_token';
        return device.isApproved ? { ...device, resource } : 'authorization_pending';
      }
      default:
        return 'unsupported_grant_type';
    }
  }

  #codeGrant(form: URLSearchParams, clientId: string, resource: string): Grant | string {
    const { ignoresVerifier, takesCodesTwice, ignoresResource } = this.switches;
    const code = this.#codes.get(form.get('code') ?? '');
    if (!code || code.clientId !== clientId || code.redirectUri !== form.get('redirect_uri')) return 'invalid_grant';
    if (code.isUsed && !takesCodesTwice) {
      this.#revokedFamilies.add(code.family);
      return 'invalid_grant';
    }
    const verifier = form.get('code_verifier') ?? '';
    const isProven = createHash('sha256').update(verifier).digest('base64url') === code.challenge;
    if (!isProven && !ignoresVerifier) return 'invalid_grant';
    code.isUsed = true;
    return { ...code, resource: ignoresResource ? resource : code.resource };
  }

  /** A refresh token that is used twice was stolen: everything of its family ends. */
  #refreshGrant(token: string, clientId: string): Grant | string {
    const kept = this.#refresh.get(token);
    if (!kept || kept.clientId !== clientId || this.#revokedFamilies.has(kept.family)) return 'invalid_grant';
    if (kept.isUsed) {
      this.#revokedFamilies.add(kept.family);
      return 'invalid_grant';
    }
    kept.isUsed = true;
    return kept;
  }

  #issue({ clientId, scopes, resource, family }: Grant, isRenewable: boolean): Record<string, unknown> {
    const { tokenType = 'Bearer', expiresInSeconds = 3_600, noRefreshTokens, grantsMoreScopes } = this.switches;
    const granted = grantsMoreScopes ? [...scopes, 'admin'] : scopes;
    const expiresAtMs = Date.now() + expiresInSeconds * 1_000;
    const claims = {
      iss: this.issuer,
      aud: resource,
      scope: granted.join(' '),
      exp: expiresAtMs / 1_000,
      jti: secret(),
    };
    const token = `${encoded({ alg: 'HS256', typ: 'at+jwt' })}.${encoded(claims)}.${secret()}`;
    const grant = { clientId, scopes: granted, resource, family };
    this.#access.set(token, { ...grant, expiresAtMs });
    const refresh = secret();
    this.secrets.add(token);
    this.secrets.add(refresh);
    this.#refresh.set(refresh, { ...grant, isUsed: false });
    return {
      access_token: token,
      token_type: tokenType,
      expires_in: expiresInSeconds,
      scope: granted.join(' '),
      ...(isRenewable && !noRefreshTokens && { refresh_token: refresh }),
    };
  }

  async #revoke(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = new URLSearchParams(await bodyOf(request)).get('token') ?? '';
    const family = this.#refresh.get(token)?.family;
    if (family !== undefined) this.#revokedFamilies.add(family);
    this.#revokedTokens.add(token);
    response.writeHead(200).end();
  }

  async #device(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await bodyOf(request));
    const device = secret();
    this.secrets.add(device);
    const scopes = (form.get('scope') ?? '').split(' ');
    this.#devices.set(device, {
      clientId: form.get('client_id') ?? '',
      scopes,
      resource: '',
      family: secret(),
      isApproved: false,
    });
    json(response, 200, {
      device_code: device,
      user_code: 'WDJB-MJHT',
      verification_uri: `${this.issuer}/approve`,
      verification_uri_complete: `${this.issuer}/approve?device=${device}`,
      expires_in: 600,
      interval: 0,
    });
  }

  #approve(given: URLSearchParams, response: ServerResponse): void {
    const device = this.#devices.get(given.get('device') ?? '');
    if (device && !this.switches.denies) device.isApproved = true;
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Done</h1>');
  }
}

function clientIn(request: IncomingMessage, form: URLSearchParams): { id: string; secret: string | undefined } {
  const [, basic] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? [];
  if (basic === undefined) return { id: form.get('client_id') ?? '', secret: form.get('client_secret') ?? undefined };
  const [id = '', secretText = ''] = Buffer.from(basic, 'base64').toString().split(':');
  return { id: decodeURIComponent(id), secret: decodeURIComponent(secretText) };
}

function withoutPort(address: string): string {
  const { protocol, hostname, pathname } = new URL(address);
  return `${protocol}//${hostname}${pathname}`;
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
