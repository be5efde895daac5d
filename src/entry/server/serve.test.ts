import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../keep/store/open-store.ts';
import { RunLease } from '../../keep/store/run-lease.ts';
import { rawStatus } from '../../testing/fakes/server/raw-request.ts';
import { streamEvents } from '../../testing/fakes/server/stream-events.ts';
import { finishedTrial, runHeader } from '../../testing/samples.ts';
import type { Status } from './api/project.ts';
import { listen } from './listen.ts';
import { type RunningServer, serve } from './serve.ts';

const warn = (message: string): never => {
  throw new Error(message);
};

describe('a server on a socket', () => {
  let folder = '';
  let server: RunningServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-serve-'));
    await writeFile(join(folder, 'assay.config.yaml'), 'concurrency: 2\n');
    server = await serve({ folder, env: {}, host: '127.0.0.1', port: 0, mayMovePort: false, warn });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, {
      headers: { authorization: `Bearer ${server.token}`, ...headers },
    });

  it('lets in requests with its token, and no others', async () => {
    const opened = await fetch(server.url, { redirect: 'manual' });
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/']);
    const inside = await fetch(`http://127.0.0.1:${server.port}/api/status`, { headers: { cookie } });
    expect((await inside.json()) as Status).toMatchObject({ isEmpty: true });
    expect((await fetch(`http://127.0.0.1:${server.port}/api/status`)).status).toBe(401);
  });

  it('closes connections whose headers do not come to an end', async () => {
    const options = {
      folder,
      env: {},
      host: '127.0.0.1',
      port: 0,
      mayMovePort: false,
      warn,
      headersTimeoutMs: 100,
    };
    await using slow = await serve(options);
    const socket = connect(slow.port, '127.0.0.1');
    socket.write('GET /api/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    const [answer] = await once(socket.setEncoding('utf8'), 'data');
    expect(answer).toContain('408');
    await once(socket, 'close');
  });

  it('refuses other hosts, however they are written', async () => {
    const { port, token } = server;
    const status = (...headers: string[]) =>
      rawStatus(port, ['GET /api/status HTTP/1.1', `Authorization: Bearer ${token}`, 'Connection: close', ...headers]);
    expect(await status(`Host: 127.0.0.1:${port}`)).toContain(' 200 ');
    expect(await status(`Host: LOCALHOST:${port}`)).toContain(' 200 ');
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port}@evil.example`, '']) {
      expect(await status(`Host: ${host}`)).toMatch(/ 40[03] /);
    }
    expect(await status(`Host: 127.0.0.1:${port}`, 'Host: evil.example')).toMatch(/ 40[03] /);
    expect(await status()).toMatch(/ 40[03] /);
  });

  it('refuses a target that is the whole address of another host', async () => {
    const lines = [
      `GET http://evil.example/api/status HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      `Cookie: assay-${server.port}=${server.token}`,
      'Origin: http://evil.example',
      'Connection: close',
    ];
    expect(await rawStatus(server.port, lines)).toMatch(/ 40[03] /);
  });

  it('follows a run of another process in the store until it ends', async () => {
    await using other = await openStore('sqlite:.assay/assay.db', folder);
    await other.createRun(runHeader('r-elsewhere', { planned: 3, startedAt: Date.now() }));
    await using lease = await RunLease.take('r-elsewhere', other, { signal: new AbortController().signal });
    await other.saveTrials([finishedTrial('r-elsewhere', 0)]);
    const events: unknown[] = [];
    for await (const { event } of streamEvents(await get('/api/runs/r-elsewhere/events'))) {
      events.push(event);
      if (events.length === 1)
        await other.saveTrials([1, 2].map((n) => finishedTrial('r-elsewhere', n, { outcome: 'fail' })));
      if (events.length === 2) await lease.end('finished', Date.now());
    }
    expect(events).toMatchObject([
      { type: 'progress', status: 'running', totals: { pass: 1, fail: 0, notRun: 2 }, recent: [] },
      {
        type: 'progress',
        totals: { pass: 1, fail: 2, notRun: 0 },
        recent: [{ outcome: 'fail' }, { outcome: 'fail' }],
      },
      { type: 'progress', status: 'finished' },
      { type: 'finished', status: 'finished', outcome: 'fail' },
    ]);
  });

  it('reads a changed config again, and reports its problems', async () => {
    await writeFile(join(folder, 'assay.config.yaml'), 'concurency: 2\n');
    const broken = await fetch(`http://127.0.0.1:${server.port}/api/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect([broken.status, await broken.json()]).toMatchObject([
      422,
      { code: 'CONFIG_INVALID', problems: [{ file: 'assay.config.yaml', line: 1 }] },
    ]);
    expect((await get('/api/runs')).status).toBe(200);
    await writeFile(join(folder, 'assay.config.yaml'), 'concurrency: 3\n');
    const response = await get('/api/status');
    expect(response.status).toBe(200);
  });

  it('ends while a client listens', async () => {
    const own = await serve({ folder, env: {}, host: '127.0.0.1', port: 0, mayMovePort: false, warn });
    await using other = await openStore('sqlite:.assay/assay.db', folder);
    await other.createRun(runHeader('r-endless', { planned: 3, startedAt: Date.now() }));
    await using _lease = await RunLease.take('r-endless', other, { signal: new AbortController().signal });
    const url = `http://127.0.0.1:${own.port}/api/runs/r-endless/events`;
    const events = streamEvents(await fetch(url, { headers: { authorization: `Bearer ${own.token}` } }));
    expect((await events.next()).value).toMatchObject({ event: { type: 'progress' } });
    await own[Symbol.asyncDispose]();
    const rest = await events.next().catch(() => ({ done: true }));
    expect(rest.done).toBe(true);
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe('the port', () => {
  it('is the next free one where the usual one is taken, unless it was named', async () => {
    const [taken, other] = [createServer(), createServer()];
    const port = await listen(taken, { host: '127.0.0.1', port: 0, mayMovePort: false });
    const moved = await listen(other, { host: '127.0.0.1', port, mayMovePort: true });
    expect(moved).toBeGreaterThan(port);
    await expect(listen(createServer(), { host: '127.0.0.1', port, mayMovePort: false })).rejects.toThrow(
      /it is in use/,
    );
    for (const server of [taken, other]) server.close();
  });
});
