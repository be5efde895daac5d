import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAnswer } from '../../../testing/fakes/server/check-answer.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { type Role, roles, type Share, type SharedLinks, type SharedToken } from '../api/access.ts';
import { documentPath } from '../openapi.ts';
import { routes } from '../routes/index.ts';
import { IssuedTokens } from './issued-tokens.ts';

/** Which role each route needs. A new route must be added here, unless it only reads. */
const needed: Readonly<Record<string, Exclude<Role, 'reader'>>> = {
  'POST /api/runs': 'runner',
  'POST /api/experiments/plan': 'runner',
  'POST /api/runs/{runId}/cancel': 'runner',
  'POST /api/runs/{runId}/control': 'runner',
  'POST /api/runs/{runId}/resume': 'runner',
  'POST /api/runs/{runId}/retry-errors': 'runner',
  'POST /api/runs/{runId}/rescore': 'runner',
  'POST /api/connectors/{name}/test': 'runner',
  'POST /api/trials/{trialId}/rerun': 'runner',
  'POST /api/trials/{trialId}/promote': 'editor',
  'POST /api/runs/plan': 'runner',
  'PUT /api/runs/{runId}/labels': 'runner',
  'DELETE /api/runs/{runId}': 'editor',
  'POST /api/mcp/sessions': 'runner',
  'DELETE /api/mcp/sessions/{session}': 'runner',
  'POST /api/mcp/sessions/{session}/calls': 'runner',
  'POST /api/mcp/sessions/{session}/calls/{call}/cancel': 'runner',
  'POST /api/mcp/sessions/{session}/requests/{request}/answer': 'runner',
  'POST /api/mcp/sessions/{session}/calls/{call}/test': 'editor',
  'POST /api/mcp/sessions/{session}/apps': 'runner',
  'POST /api/mcp/sessions/{session}/login': 'editor',
  'POST /api/mcp/sessions/{session}/login/answer': 'editor',
  'POST /api/mcp/sessions/{session}/refresh': 'runner',
  'POST /api/shared-tokens': 'owner',
  'GET /api/shared-tokens': 'owner',
  'DELETE /api/shared-tokens/{name}': 'owner',
  'POST /api/compare/judge': 'runner',
  'DELETE /api/compare/judge': 'runner',
  'PUT /api/files/{path*}': 'editor',
  'DELETE /api/files/{path*}': 'editor',
  'POST /api/files-check': 'editor',
  'PUT /api/personas/{name}': 'editor',
  'DELETE /api/personas/{name}': 'editor',
  'PUT /api/connectors/{name}': 'editor',
  'DELETE /api/connectors/{name}': 'editor',
  'PUT /api/evals/{name}': 'editor',
  'DELETE /api/evals/{name}': 'editor',
  'PUT /api/scenarios/{name}': 'editor',
  'DELETE /api/scenarios/{name}': 'editor',
  'PUT /api/labels': 'reviewer',
  'POST /api/review/calibrate': 'reviewer',
};

describe('roles', () => {
  let served: ServedProject;
  let issued: IssuedTokens;
  const tokens = new Map<Role, string>();
  beforeAll(async () => {
    served = await serveFiles({ 'assay.config.yaml': 'concurrency: 2\n' });
    issued = new IssuedTokens(served.folder);
    for (const role of roles) tokens.set(role, await issued.create(`a-${role}`, role));
  });
  afterAll(() => served[Symbol.asyncDispose]());

  /** A request whose body no route accepts, so nothing is done where it is let through. */
  const ask = (role: Role, method: string, path: string, body: unknown = ['wrong']) =>
    served.request(path, {
      method,
      headers: { authorization: `Bearer ${tokens.get(role)}`, 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    });

  it('are checked by every route before anything else', async () => {
    for (const route of routes) {
      const method = route.method.toUpperCase();
      const wanted = needed[`${method} ${route.path}`] ?? (method === 'GET' ? 'reader' : undefined);
      expect([method, route.path, route.role]).toEqual([method, route.path, wanted]);
      const path = documentPath(route.path).replace(/\{\w+\}/g, 'none');
      for (const role of roles) {
        const response = await ask(role, method, path);
        const isAllowed = roles.indexOf(role) >= roles.indexOf(route.role);
        expect([role, method, path, response.status === 403]).toEqual([role, method, path, !isAllowed]);
        if (isAllowed) await response.body?.cancel();
        else expect(await response.json()).toMatchObject({ code: 'ROLE_NEEDED', neededRole: route.role });
      }
    }
    expect(
      Object.keys(needed).filter((key) => !routes.some((r) => `${r.method.toUpperCase()} ${r.path}` === key)),
    ).toEqual([]);
  });

  it('keep the config file for owners, by every way to it', async () => {
    const write = { kind: 'config', text: 'concurrency: 9\n', revision: null };
    for (const method of ['PUT', 'DELETE']) {
      const body = method === 'PUT' ? write : { revision: null };
      const refused = await ask('editor', method, '/api/files/assay.config.yaml', body);
      expect([refused.status, ((await refused.json()) as { neededRole: string }).neededRole]).toEqual([403, 'owner']);
      expect((await ask('owner', method, '/api/files/assay.config.yaml', body)).status).toBe(409);
    }
    expect(await readFile(`${served.folder}/assay.config.yaml`, 'utf8')).toBe('concurrency: 2\n');
  });

  it('let an owner give others the right to read, with a new token each time', async () => {
    const path = '/api/shared-tokens';
    const made = await Promise.all(
      [1, 2].map(async () => checkAnswer<SharedToken>('POST', path, await ask('owner', 'POST', path, {}))),
    );
    expect(new Set(made.map(({ token }) => token)).size).toBe(2);
    for (const { name, token } of made) {
      expect(name).toMatch(/^shared-\d{4}-\d\d-\d\d-/);
      const session = await served.request('/api/session', { headers: { authorization: `Bearer ${token}` } });
      expect(await session.json()).toMatchObject({ role: 'reader', tokenName: name });
    }
  });

  it('end for a link when its time is over, and when an owner ends it', async () => {
    const path = '/api/shared-tokens';
    const share = async (body: Share): Promise<SharedToken> =>
      checkAnswer<SharedToken>('POST', path, await ask('owner', 'POST', path, body));
    const opens = async ({ token }: SharedToken): Promise<boolean> =>
      (await served.request('/api/status', { headers: { authorization: `Bearer ${token}` } })).ok;
    const [short, long] = [await share({ days: 1 }), await share({})];
    expect(long.expiresAt).toBeNull();
    expect(Date.parse(short.expiresAt ?? '') - Date.now()).toBeGreaterThan(86_000_000);
    expect([await opens(short), await opens(long)]).toEqual([true, true]);
    const kept = await readFile(issued.file, 'utf8');
    await writeFile(issued.file, kept.replace(short.expiresAt ?? '', new Date(0).toISOString()));
    expect([await opens(short), await opens(long)]).toEqual([false, true]);
    const listed = async (): Promise<string[]> =>
      (await served.get<SharedLinks>(path)).items
        .map(({ name }) => name)
        .filter((name) => name === short.name || name === long.name);
    expect(await listed()).toEqual([long.name]);
    expect((await ask('owner', 'DELETE', `${path}/a-reader`, undefined)).status).toBe(404);
    expect((await ask('owner', 'DELETE', `${path}/${long.name}`, undefined)).status).toBe(200);
    expect([await opens(long), await listed()]).toEqual([false, []]);
  });

  it('are reported to the pages', async () => {
    const runner = await (await ask('runner', 'GET', '/api/session')).json();
    const may = { review: true, run: true, edit: false, configure: false };
    expect(runner).toEqual({ role: 'runner', tokenName: 'a-runner', may });
    expect(await served.get('/api/session')).toMatchObject({ role: 'owner', tokenName: null });
  });

  it('end with their token, and with a file that is wrong', async () => {
    const { mode } = await stat(issued.file);
    expect(mode & 0o777).toBe(0o600);
    const kept = await readFile(issued.file, 'utf8');
    for (const token of tokens.values()) expect(kept).not.toContain(token);
    await issued.delete('a-editor');
    expect((await ask('editor', 'GET', '/api/status')).status).toBe(401);
    expect((await ask('reader', 'GET', '/api/status')).status).toBe(200);
    await writeFile(issued.file, kept.replace('"reader"', '"king"'));
    expect((await ask('owner', 'GET', '/api/status')).status).toBe(401);
    expect((await served.request('/api/status')).status).toBe(200);
  });
});
