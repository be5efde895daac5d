import { timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { type HeaderOf, isOfOtherSite, namesHost } from '../../shared/http/guarded-server.ts';
import type { Caller } from './access/caller.ts';
import { type IssuedTokens, tokenDigest } from './access/issued-tokens.ts';
import { PageSessions } from './access/page-sessions.ts';
import { plainPage } from './plain-page.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { addSecurityHeaders } from './security-headers.ts';

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
  readonly issued?: Pick<IssuedTokens, 'find' | 'withDigest'> | undefined;
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
  const withToken = tokenCheck(settings);
  const sessions = new PageSessions(settings);
  const logIn = (token: string, next: string): Response => {
    const caller = withToken(token);
    if (!caller) return loginAgain(next);
    return loggedIn(`${settings.cookieName}=${sessions.begin(token, caller)}`, next);
  };
  return async (c, next) => {
    const isApi = isApiPath(c.req.path);
    checkHost((name) => c.req.header(name), settings.hosts);
    if (isApi || !isNavigation(c)) checkOrigin((name) => c.req.header(name));
    if (c.req.method === 'POST' && c.req.path === loginPath) return logIn(...(await sentLogin(c)));
    const offered = c.req.method === 'GET' && !isApi ? c.req.query('token') : undefined;
    if (offered !== undefined && withToken(offered)) return logIn(offered, withoutToken(c.req.url));
    const caller = callerOf(c, settings, withToken, sessions);
    if (!caller) throw unknownCaller();
    c.set('caller', caller);
    checkContentType(c);
    await next();
    addSecurityHeaders(c.res.headers, isApi);
    return undefined;
  };
}

const loginPath = '/login';
const mostLoginBytes = 8_192;

/** The token and the address of a form that was sent. */
async function sentLogin(c: Context): Promise<[token: string, next: string]> {
  if (Number(c.req.header('content-length') ?? Number.POSITIVE_INFINITY) > mostLoginBytes)
    throw new Refusal(413, 'REQUEST_TOO_LARGE', 'The form is too large.');
  const form = new URLSearchParams(await c.req.text());
  return [form.get('token')?.trim() ?? '', form.get('next') ?? '/'];
}

/** Browsers open pages for people also from links on other sites; nothing is done for such a request but to show a page. */
function isNavigation(c: Context): boolean {
  const { method } = c.req;
  return (
    method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate' && c.req.header('sec-fetch-dest') === 'document'
  );
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

function callerOf(
  c: Context,
  { cookieName }: GuardSettings,
  withToken: (offered: string | undefined) => Caller | undefined,
  sessions: PageSessions,
): Caller | undefined {
  const header = c.req.header('authorization');
  return header === undefined ? sessions.callerOf(getCookie(c, cookieName)) : withToken(bearerToken(header));
}

/** The token in the value of an `Authorization` header. */
export function bearerToken(header: string): string | undefined {
  return /^Bearer (\S+)$/i.exec(header)?.[1];
}

/** Throws a refusal for a rebound name. */
export function checkHost(header: HeaderOf, hosts: ReadonlySet<string>): void {
  if (namesHost(header, hosts)) return;
  throw new Refusal(403, 'HOST_REFUSED', 'This server does not accept that host name.', {
    hint: 'Open the address that `assay serve` printed; --allow-host adds a name.',
  });
}

/** Throws a refusal for a request of a page of another site. */
export function checkOrigin(header: HeaderOf): void {
  if (!isOfOtherSite(header)) return;
  throw new Refusal(403, 'ORIGIN_REFUSED', 'Requests from pages of other sites are refused.', {
    hint: 'Paste the address that `assay serve` printed into the address bar.',
  });
}

function unknownCaller(
  message = 'The token is missing, deleted, or belongs to an earlier start of this server.',
): Refusal {
  return new Refusal(401, 'TOKEN_NEEDED', message, {
    hint: 'Open the address that `assay serve` printed, or send `Authorization: Bearer <token>`.',
  });
}

/** A form of another page can only send other types. */
function checkContentType(c: Context): void {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return;
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw new Refusal(415, 'JSON_NEEDED', 'Requests that change data must have the content type application/json.');
}

/** An address without the token, which others may see. */
export function withoutToken(address: string): string {
  const url = new URL(address);
  url.searchParams.delete('token');
  return `${url.pathname}${url.search}`;
}

function loginAgain(next: string): Response {
  const { status, body } = refusalOf(unknownCaller('This is not a token of this server.'));
  const response = plainPage(status, body, next);
  addSecurityHeaders(response.headers, false);
  return response;
}

/** `Lax`: links on other sites open pages for users who have logged in. Requests that change data are checked anyway. */
function loggedIn(cookie: string, next: string): Response {
  const headers = new Headers({
    location: ownPath(next),
    'set-cookie': `${cookie}; HttpOnly; SameSite=Lax; Path=/`,
  });
  addSecurityHeaders(headers, false);
  return new Response(null, { status: 303, headers });
}

/** Never the address of another server. */
function ownPath(next: string): string {
  return `/${next.replace(/^[/\\\s]+/, '')}`;
}
