import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Hono } from 'hono';
import { IssuedTokens } from '../../../entry/server/access/issued-tokens.ts';
import { createApp } from '../../../entry/server/app.ts';
import type { ServerContext } from '../../../entry/server/context.ts';
import { openContext } from '../../../entry/server/open-context.ts';
import { WebFiles } from '../../../entry/server/web-files.ts';
import { checkAnswer } from './check-answer.ts';

/** A project in its own folder, served without a socket. */
export interface ServedProject extends AsyncDisposable {
  readonly folder: string;
  readonly context: ServerContext;
  readonly app: Hono;
  /** A request with the token. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** The answer to a GET, which must be what the schema of its route says. */
  get<Answer>(path: string): Promise<Answer>;
  /** POST and PUT with a JSON body. */
  send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Response>;
}

/** The guard settings of a served project. */
export const testGuard = {
  token: 'a-token-that-is-hard-to-guess',
  hosts: new Set(['127.0.0.1:7420', 'localhost:7420']),
  cookieName: 'assay-7420',
};

/** Serves a project that has the given files, with a store in its folder unless another is named. */
export async function serveFiles(
  files: Readonly<Record<string, string>> = {},
  storeUrl?: string,
): Promise<ServedProject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'assay-server-')));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const opened = await openContext({
    folder,
    env: { PATH: process.env.PATH },
    storeUrl: storeUrl ?? `sqlite:${folder}/test.db`,
    tokens: new IssuedTokens(folder),
    projects: async () => ({ items: [] }),
  });
  const app = createApp(
    opened.context,
    { ...testGuard, issued: new IssuedTokens(folder) },
    new WebFiles(join(folder, 'web')),
  );
  const request: ServedProject['request'] = async (path, init = {}) => {
    const headers = { host: '127.0.0.1:7420', authorization: `Bearer ${testGuard.token}`, ...init.headers };
    return app.request(`http://127.0.0.1:7420${path}`, { ...init, headers });
  };
  return {
    folder,
    context: opened.context,
    app,
    request,
    get: async (path) => checkAnswer('GET', path, await request(path)),
    send: (method, path, body = {}) =>
      request(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
