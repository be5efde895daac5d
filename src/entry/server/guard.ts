import { timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Caller } from './access/caller.ts';
import { type IssuedTokens, tokenDigest } from './access/issued-tokens.ts';
import { Refusal } from './refusal.ts';

/** The policy of the pages: they load only files of this server. */
export function contentSecurityPolicy(nonce?: string): string {
  const style = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${style}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Put on every response, refusals included; what a handler has set itself stays. */
export function addSecurityHeaders(headers: Headers, isApi: boolean): void {
  if (!headers.has('content-security-policy')) headers.set('content-security-policy', contentSecurityPolicy());
  if (!headers.has('cache-control') || isApi) headers.set('cache-control', 'no-store');
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'no-referrer');
  if (!headers.has('x-frame-options')) headers.set('x-frame-options', 'DENY');
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-resource-policy', 'same-origin');
}

declare module 'hono' {
  interface ContextVariableMap {
    caller: Caller;
  }
}

/** Who may ask this server for anything. */
export interface GuardSettings {
  /** The token of the server itself, whose role is owner. */
  readonly token: string;
  /** Tokens with roles that were made for others. */
  readonly issued?: Pick<IssuedTokens, 'find'> | undefined;
  /** Values of `Host`, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Cookies are shared between the ports of a host, so the name distinguishes servers. */
  readonly cookieName: string;
}

/**
 * Stands before everything, pages and files included: a page of another site, a rebound name or a caller without
 * a token never reaches a route. Which role a route needs is checked by the route.
 */
export function guard(settings: GuardSettings): MiddlewareHandler {
  const callerOf = tokenCheck(settings);
  return async (c, next) => {
    const isApi = isApiPath(c.req.path);
    checkOrigin((name) => c.req.header(name), settings.hosts);
    const offered = c.req.method === 'GET' && !isApi ? c.req.query('token') : undefined;
    if (offered !== undefined && callerOf(offered)) return loggedIn(c, settings, offered);
    const caller = callerOf(offeredToken(c, settings));
    if (!caller) throw unknownCaller();
    c.set('caller', caller);
    checkContentType(c);
    await next();
    addSecurityHeaders(c.res.headers, isApi);
    return undefined;
  };
}

/** True for what programs ask for, and false for what browsers show. */
export function isApiPath(path: string): boolean {
  return /^(?:\/projects\/[^/]+)?\/api(?:\/|$)/.test(path);
}

/** Finds out who offers a token, in the same time for every wrong one. */
export function tokenCheck({
  token,
  issued,
}: Pick<GuardSettings, 'token' | 'issued'>): (offered: string | undefined) => Caller | undefined {
  const wanted = Buffer.from(tokenDigest(token));
  return (offered) => {
    if (offered === undefined) return undefined;
    if (timingSafeEqual(Buffer.from(tokenDigest(offered)), wanted)) return { role: 'owner', tokenName: null };
    return issued?.find(offered);
  };
}

function offeredToken(c: Context, { cookieName }: GuardSettings): string | undefined {
  const header = c.req.header('authorization');
  return header === undefined ? getCookie(c, cookieName) : bearerToken(header);
}

/** The token in the value of an `Authorization` header. */
export function bearerToken(header: string): string | undefined {
  return /^Bearer (\S+)$/i.exec(header)?.[1];
}

/** Throws a refusal for a rebound name and for a page of another site. */
export function checkOrigin(header: (name: string) => string | undefined, hosts: ReadonlySet<string>): void {
  const host = header('host')?.toLowerCase();
  if (host === undefined || !hosts.has(host)) {
    throw new Refusal(403, 'HOST_REFUSED', 'This server does not accept that host name.', {
      hint: 'Open the address that `assay serve` printed; --allow-host adds a name.',
    });
  }
  const site = header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreignPage();
  const origin = header('origin');
  if (origin !== undefined && /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase() !== host) throw foreignPage();
}

function foreignPage(): Refusal {
  return new Refusal(403, 'ORIGIN_REFUSED', 'Requests from pages of other sites are refused.', {
    hint: 'Paste the address that `assay serve` printed into the address bar.',
  });
}

function unknownCaller(): Refusal {
  return new Refusal(
    401,
    'TOKEN_NEEDED',
    'The token is missing, deleted, or belongs to an earlier start of this server.',
    {
      hint: 'Open the address that `assay serve` printed, or send `Authorization: Bearer <token>`.',
    },
  );
}

/** A form of another page can only send other types. */
function checkContentType(c: Context): void {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return;
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw new Refusal(415, 'JSON_NEEDED', 'Requests that change data must have the content type application/json.');
}

/** The token moves from the address, which others may see, into a cookie. */
function loggedIn(c: Context, { cookieName }: GuardSettings, token: string): Response {
  const url = new URL(c.req.url);
  url.searchParams.delete('token');
  const headers = new Headers({
    location: `${url.pathname.replace(/^\/+/, '/')}${url.search}`,
    'set-cookie': `${cookieName}=${token}; HttpOnly; SameSite=Strict; Path=/`,
  });
  addSecurityHeaders(headers, false);
  return new Response(null, { status: 303, headers });
}
