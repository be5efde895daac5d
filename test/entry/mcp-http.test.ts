import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assay, programPath } from '../../src/testing/support/assay.ts';
import { connectOverHttp } from '../../src/testing/support/mcp-client.ts';
import { storeEnvironment } from '../../src/testing/support/project-store.ts';
import { projectOfSleepers, sleepersOf, untilBegun, untilGone } from '../../src/testing/support/sleeping-tool.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const eras = [
  { version: '2025-11-25', options: {} },
  { version: '2026-07-28', options: { versionNegotiation: { mode: 'auto' as const } } },
];

/** Starts `assay mcp --port` and waits for its address. */
async function startHttp(folder: string, env: Record<string, string> = {}) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [programPath, 'mcp', '--port', '0', '--json'], {
    cwd: folder,
    env: { PATH, HOME, ...storeEnvironment(folder), ...env },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  while (!stdout.includes('\n')) await once(child.stdout, 'data');
  const address = JSON.parse(stdout) as { url: string; token: string; pid: number };
  expect(address.pid).toBe(child.pid);
  return { child, address };
}

/** Gives the status of a request with exactly these headers, and its answer. */
function post(url: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('assay mcp --port', () => {
  it.each(eras)('serves clients of $version, reports progress, and ends a run that is cancelled', async (era) => {
    const folder = await projectOfSleepers();
    const { address } = await startHttp(folder, { TEST_FOLDER: folder });
    const { client, call } = await connectOverHttp(address, era.options);
    expect(client.getNegotiatedProtocolVersion()).toBe(era.version);
    const cancelling = new AbortController();
    const running = call('run', {}, { signal: cancelling.signal });
    await untilBegun(folder);
    cancelling.abort();
    await expect(running).rejects.toBeDefined();
    await untilGone(folder);
    const stored = () => call('list_runs').then(({ data }) => (data.runs as { status: string }[])[0]?.status);
    await expect.poll(stored, { timeout: 20_000 }).toBe('interrupted');
    await writeFiles(folder, { go: '' });
    const progress: number[] = [];
    const resumed = await call('run', { resume: 'latest' }, { onprogress: (report) => progress.push(report.progress) });
    expect(resumed.data).toMatchObject({ run: { outcome: 'pass' } });
    expect(progress.at(-1)).toBe(1);
  });

  it('ends with its runs after SIGTERM', async () => {
    const folder = await projectOfSleepers();
    const { address, child } = await startHttp(folder, { TEST_FOLDER: folder });
    const [old, current] = await Promise.all(eras.map(({ options }) => connectOverHttp(address, options)));
    const calls = Promise.allSettled([old?.call('run'), current?.call('run')]);
    await untilBegun(folder);
    // A run has two or three of them: a shell, its sleep and what starts them.
    await expect.poll(() => sleepersOf(folder).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
    child.kill('SIGTERM');
    const [exitCode] = await once(child, 'close');
    expect(exitCode).toBe(0);
    expect(sleepersOf(folder)).toEqual([]);
    expect(await calls).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    const { stdout } = await assay(['runs', '--json'], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'interrupted' }, { status: 'interrupted' }]);
  });

  it('refuses callers without its token, rebound names, pages of other sites and other paths', async () => {
    const { address } = await startHttp(await temporaryFolder());
    const { url, token } = address;
    const authorization = `Bearer ${token}`;
    const accept = 'application/json, text/event-stream';
    const status = async (path: string, headers: Record<string, string>) =>
      (await post(`${url.replace(/\/mcp$/, '')}${path}`, { accept, ...headers })).status;
    expect(await status('/mcp', {})).toBe(401);
    expect(await status('/mcp', { authorization: `Bearer ${token}x` })).toBe(401);
    expect(await status(`/mcp/${token}x`, {})).toBe(401);
    expect(await status(`/mcp?token=${token}`, {})).toBe(401);
    expect(await status('/mcp', { authorization, host: 'evil.example' })).toBe(403);
    expect(await status('/mcp', { authorization, origin: 'https://evil.example' })).toBe(403);
    expect(await status('/', { authorization })).toBe(404);
    // A ping outside of a session is the protocol's affair: these callers came through.
    expect(await status('/mcp', { authorization })).toBe(400);
    expect(await status(`/mcp/${token}`, {})).toBe(400);
    expect(await status('/mcp', { authorization, 'mcp-session-id': 'unknown' })).toBe(404);
    const { text } = await post(url, { accept });
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringContaining('Bearer') } });
    expect(text).not.toContain(token);
  });

  it('refuses options that make no sense, and addresses that other machines reach without a token of the user', async () => {
    const cwd = await temporaryFolder();
    const refusal = async (...args: string[]) => {
      const { exitCode, stderr } = await assay(['mcp', ...args], { cwd });
      return { exitCode, stderr };
    };
    const needsPort = { exitCode: 2, stderr: expect.stringContaining('--host, --allow-host and --json need --port') };
    expect(await refusal('--json')).toEqual(needsPort);
    expect(await refusal('--host', '127.0.0.1')).toEqual(needsPort);
    expect(await refusal('--port', '0', '--host', '0.0.0.0')).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining('ASSAY_SERVE_TOKEN is not set'),
    });
    expect(await refusal('--port', '70000')).toMatchObject({ exitCode: 2 });
  });
});
