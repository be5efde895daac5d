import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedProject, serveFiles, testGuard } from '../../testing/fakes/server/served-project.ts';
import type { Caller } from './access/caller.ts';
import { tokenDigest } from './access/issued-tokens.ts';
import { PageSessions } from './access/page-sessions.ts';
import { guard } from './guard.ts';

const { token, cookieName } = testGuard;
const host = '127.0.0.1:7420';
/** The cookie of a browser that has logged in. */
const session = new PageSessions(testGuard).begin(token, { role: 'owner', tokenName: null });
const writes = new Set(['POST', 'PUT', 'DELETE', 'PATCH']);

/** A link on another site that a user follows. */
const fromAnotherSite = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

/** Requests that no server may do anything for, by what is wrong with them; null where it does not apply. */
const hostile: Readonly<Record<string, (method: string) => Record<string, string> | null>> = {
  'no token': () => ({ host }),
  'an empty token': () => ({ host, authorization: 'Bearer ' }),
  'a wrong token': () => ({ host, authorization: `Bearer ${token}x` }),
  'a wrong token beside a right cookie': () => ({
    host,
    authorization: 'Bearer x',
    cookie: `${cookieName}=${session}`,
  }),
  'the cookie of another port': () => ({ host, cookie: `assay-7421=${session}` }),
  'the token as a cookie': () => ({ host, cookie: `${cookieName}=${token}` }),
  'a forged cookie': () => ({ host, cookie: `${cookieName}=${session.slice(0, -2)}xx` }),
  'the session of another port': () => ({
    host,
    cookie: `${cookieName}=${new PageSessions({ ...testGuard, cookieName: 'assay-7421' }).begin(token, { role: 'owner', tokenName: null })}`,
  }),
  'no host': () => ({ authorization: `Bearer ${token}` }),
  'a foreign host': () => ({ host: 'evil.example', authorization: `Bearer ${token}` }),
  'a rebound name with the port': () => ({ host: 'rebound.example:7420', cookie: `${cookieName}=${session}` }),
  'a host of another port': () => ({ host: '127.0.0.1:7421', cookie: `${cookieName}=${session}` }),
  'a host that only begins like ours': () => ({ host: `${host}.evil.example`, cookie: `${cookieName}=${session}` }),
  'a foreign origin': () => ({ host, origin: 'https://evil.example', cookie: `${cookieName}=${session}` }),
  'no origin to speak of': () => ({ host, origin: 'null', cookie: `${cookieName}=${session}` }),
  'the origin of another port': () => ({ host, origin: 'http://127.0.0.1:3000', cookie: `${cookieName}=${session}` }),
  'a page of another site': () => ({ host, 'sec-fetch-site': 'cross-site', cookie: `${cookieName}=${session}` }),
  'a page of another port': () => ({ host, 'sec-fetch-site': 'same-site', cookie: `${cookieName}=${session}` }),
  'a form': (method) =>
    writes.has(method)
      ? { host, 'content-type': 'application/x-www-form-urlencoded', cookie: `${cookieName}=${session}` }
      : null,
  'a form that is sent as text': (method) =>
    writes.has(method) ? { host, 'content-type': 'text/plain', cookie: `${cookieName}=${session}` } : null,
  'a body without a type': (method) => (writes.has(method) ? { host, cookie: `${cookieName}=${session}` } : null),
};

/** Every method and path that the router knows, with something in the place of each parameter. */
function knownRoutes({ routes }: Hono): { readonly method: string; readonly path: string }[] {
  const methods = (method: string) => (method === 'ALL' ? ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] : [method]);
  return routes.flatMap(({ method, path }) =>
    methods(method).map((each) => ({
      method: each,
      path: path
        .replace(/:\w+\{[^}]*\}/g, 'x')
        .replace(/:\w+/g, 'x')
        .replace(/\*/g, 'any'),
    })),
  );
}

/** The request that was let through, as text. */
async function letThrough(app: Hono): Promise<{ readonly accepted: string[]; readonly tried: number }> {
  const accepted: string[] = [];
  let tried = 0;
  for (const { method, path } of knownRoutes(app)) {
    for (const [what, headersOf] of Object.entries(hostile)) {
      const headers = headersOf(method);
      if (!headers) continue;
      tried += 1;
      const { status } = await app.request(`http://${host}${path}`, { method, headers });
      if (![401, 403, 415].includes(status)) accepted.push(`${method} ${path} with ${what}: ${status}`);
    }
  }
  return { accepted, tried };
}

describe('the guard', () => {
  let served: ServedProject;
  beforeAll(async () => {
    served = await serveFiles({ 'a.yaml': 'name: a\n' });
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it('lets no hostile request get to any route of the router', async () => {
    const { accepted, tried } = await letThrough(served.app);
    expect(accepted).toEqual([]);
    expect(knownRoutes(served.app).length).toBeGreaterThan(20);
    expect(tried).toBeGreaterThan(400);
  });

  it('would notice a route that stands before it', async () => {
    const app = new Hono();
    app.get('/api/forgotten', (c) => c.text('open to everyone'));
    app.use('*', guard(testGuard));
    app.onError((_error, c) => c.text('refused', 403));
    const { accepted } = await letThrough(app);
    expect(accepted).toContain('GET /api/forgotten with no token: 200');
  });

  it('lets in who has the token in a header, or the cookie of a session', async () => {
    const asHeader = await served.app.request(`http://${host}/api/status`, {
      headers: { host, authorization: `Bearer ${token}` },
    });
    const asCookie = await served.app.request(`http://${host}/api/status`, {
      headers: { host, cookie: `other=1; ${cookieName}=${session}`, 'sec-fetch-site': 'same-origin' },
    });
    expect([asHeader.status, asCookie.status]).toEqual([200, 200]);
  });

  it('turns the token of an address into a session, and the address into one without it', async () => {
    const response = await served.app.request(`http://${host}/runs/r-1?outcome=fail&token=${token}`, {
      headers: { host, ...fromAnotherSite },
    });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/runs/r-1?outcome=fail');
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^assay-7420=owner\.[\w.-]+; HttpOnly; SameSite=Lax; Path=\/$/);
    expect(cookie).not.toContain(token);
    const status = await served.app.request(`http://${host}/api/status`, {
      headers: { host, cookie: cookie.split(';')[0] ?? '' },
    });
    expect(status.status).toBe(200);
  });

  it('shows a form to log in with, which leads to the page that was requested', async () => {
    const page = await served.app.request(`http://${host}/runs/r-1?outcome=%22fail&token=wrong`, {
      headers: { host, ...fromAnotherSite },
    });
    expect(page.status).toBe(401);
    const text = await page.text();
    expect(text).toContain('name="next" value="/runs/r-1?outcome=%22fail"');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    const post = (body: string, headers: Record<string, string> = { origin: `http://${host}` }) =>
      served.app.request(`http://${host}/login`, {
        method: 'POST',
        body,
        headers: { host, 'content-length': String(body.length), ...headers },
      });
    const wrong = await post('token=wrong&next=%2Fruns%2Fr-1');
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await wrong.text()).toContain('name="next" value="/runs/r-1"');
    const right = await post(`token=+${token}&next=%2F%2Fevil.example%2Fx`);
    expect([right.status, right.headers.get('location')]).toEqual([303, '/evil.example/x']);
    expect(right.headers.get('set-cookie')).toMatch(/^assay-7420=owner\./);
    expect((await post(`token=${token}`, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(`token=${'x'.repeat(9_000)}`)).status).toBe(413);
  });

  it('opens pages from links on other sites, and nothing else', async () => {
    const from = (path: string, headers: Record<string, string>) =>
      served.app.request(`http://${host}${path}`, {
        headers: { host, cookie: `${cookieName}=${session}`, ...headers },
      });
    // The project of the test has no built pages: 404 or 503 come from behind the guard.
    expect((await from('/runs', fromAnotherSite)).status).not.toBe(403);
    expect((await from('/runs', fromAnotherSite)).status).not.toBe(401);
    expect((await from('/api/status', fromAnotherSite)).status).toBe(403);
    expect((await from('/runs', { ...fromAnotherSite, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
  });

  it('ends sessions with their time, with another token of the server, and with the token they began with', () => {
    const now = 1_800_000_000_000;
    const digests = new Map<string, Caller>();
    const issued = { find: () => undefined, withDigest: (digest: string) => digests.get(digest) };
    const sessions = new PageSessions({ ...testGuard, issued });
    const reader = { role: 'reader', tokenName: 'a' } as const;
    digests.set(tokenDigest('token of a reader'), reader);
    const cookie = sessions.begin('token of a reader', reader, now);
    expect(sessions.callerOf(cookie, now)).toEqual(reader);
    expect(sessions.callerOf(cookie, now + 8 * 24 * 3_600_000)).toBeUndefined();
    expect(new PageSessions({ ...testGuard, issued, token: 'another token' }).callerOf(cookie, now)).toBeUndefined();
    const asOwner = cookie.replace(/^[^.]+/, 'owner');
    expect(sessions.callerOf(asOwner, now)).toBeUndefined();
    digests.clear();
    expect(sessions.callerOf(cookie, now)).toBeUndefined();
  });

  it.each([`/api/status?token=${token}`, `/runs?token=${token}x`, '/runs?token='])(
    'takes no token from %s',
    async (path) => {
      const response = await served.app.request(`http://${host}${path}`, { headers: { host } });
      expect(response.status).toBe(401);
      expect(response.headers.get('set-cookie')).toBeNull();
    },
  );

  it('never redirects to another server', async () => {
    for (const path of ['//evil.example/x', '/\\evil.example/x', '/%2F%2Fevil.example']) {
      const response = await served.app.request(`http://${host}${path}?token=${token}`, { headers: { host } });
      const location = response.headers.get('location') ?? '';
      expect(new URL(location, `http://${host}`).host).toBe(host);
    }
  });

  it('puts what browsers obey on answers and refusals', async () => {
    const responses = [
      await served.request('/api/status'),
      await served.request('/api/nothing'),
      await served.request('/'),
      await served.app.request(`http://${host}/api/status`, { headers: { host: 'evil.example' } }),
      await served.app.request(`http://${host}/?token=${token}`, { headers: { host } }),
    ];
    for (const { headers } of responses) {
      expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toMatch(/^(no-referrer|same-origin)$/);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('shows no page that repeats the request as code', async () => {
    const response = await served.app.request(`http://${host}/%3Cscript%3Ealert(1)%3C/script%3E`, {
      headers: { host },
    });
    expect(await response.text()).not.toContain('<script');
  });
});
