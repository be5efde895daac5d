import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assay, ended, startAssay } from '../../src/testing/support/assay.ts';
import { listen } from '../../src/testing/support/http-server.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

describe('assay serve', () => {
  it('prints for scripts where it is, and ends on a signal', async () => {
    const { child, url, token, pid, request } = await serving(await temporaryFolder({}));
    expect(url).toBe(`${new URL(url).origin}/?token=${token}`);
    expect(pid).toBe(child.pid);
    expect(await (await request('/api/status')).json()).toMatchObject({ isEmpty: true, hasScenarios: false });
    const end = ended(child);
    child.kill('SIGINT');
    expect(await end).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('tells people the address on stdout, and nothing else there', async () => {
    const child = startAssay(['serve', '--port', '0'], { cwd: await temporaryFolder({}) });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    const { exitCode, stdout, stderr } = await ended(child);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}\n$/);
    expect(stderr).toContain('Ctrl-C stops it');
  });

  it('names each address that other machines reach it under, and warns of plain HTTP', async () => {
    const env = { ASSAY_SERVE_TOKEN: 'Zx81-spectrum-quiet-harbour' };
    const child = startAssay(['serve', '--host', '0.0.0.0', '--port', '0'], { cwd: await temporaryFolder({}), env });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stderr?.on('data', (text) => String(text).includes('TLS') && child.kill('SIGTERM'));
    const { stdout, stderr } = await ended(child);
    const hosts = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => new URL(line).hostname);
    const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const others = own.filter(({ internal, family }) => !internal && family === 'IPv4');
    expect(hosts).toEqual(['127.0.0.1', ...others.map(({ address }) => address)]);
    expect(stderr).toContain('plain HTTP');
  });

  it('interrupts and stores what it runs when it ends, so that it can be taken up again', async () => {
    const tool = createServer((request) => void request.resume());
    const asked = new Promise((resolve) => tool.once('request', resolve));
    const scenario = `name: slow\ncall: { url: "${await listen(tool, 'http')}" }\ncases:\n  - { name: one, input: {} }\n`;
    const cwd = await temporaryFolder({ 'slow.yaml': `${scenario}passCriteria: [result.ok === true]\n` });
    const { child, request } = await serving(cwd);
    const started = await request('/api/runs', { method: 'POST', body: '{}' });
    const { runId } = (await started.json()) as { runId: string };
    await asked;
    const end = ended(child);
    child.kill('SIGINT');
    expect((await end).exitCode).toBe(0);
    const { stdout } = await assay(['runs', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ runId, status: 'interrupted' }]);
  });

  it.each([
    [['--host', '0.0.0.0'], {}, 'ASSAY_SERVE_TOKEN is not set'],
    [['--host', '0.0.0.0'], { ASSAY_SERVE_TOKEN: 'short' }, 'at least 24'],
    [['--host', '0.0.0.0'], { ASSAY_SERVE_TOKEN: 'a'.repeat(28) }, 'easy to guess'],
    [['--port', '70000'], {}, 'whole number'],
  ])('refuses %j with %j', async (args, env, message) => {
    const child = startAssay(['serve', ...args], { cwd: await temporaryFolder({}), env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const result = await ended(child);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });

  it('takes a token of the user, which no program that it starts has', async () => {
    const own = 'a-token-of-my-own-1234567890';
    const program =
      "process.stdout.write(JSON.stringify({ has: JSON.stringify(process.env).includes('of-my-own'), path: 'PATH' in process.env }))";
    const cwd = await temporaryFolder({
      'print.mjs': program,
      'env.yaml':
        'name: env\ncall: { command: node print.mjs }\ncases: [{ name: one, input: {} }]\npassCriteria: [result.has === false, result.path === true]\n',
    });
    const { token, request } = await serving(cwd, { ASSAY_SERVE_TOKEN: own, ASSAY_COLLECT_TOKEN: `${own}-2` });
    expect(token).toBe(own);
    const started = await request('/api/runs', { method: 'POST', body: '{}' });
    const { runId } = (await started.json()) as { runId: string };
    const stored = async () => JSON.parse((await assay(['show', runId, '--json'], { cwd })).stdout) as unknown;
    await expect.poll(stored).toMatchObject({ totals: { pass: 1, fail: 0, error: 0 } });
  });

  it('says what is wrong with a config, and where', async () => {
    const cwd = await temporaryFolder({ 'assay.config.yaml': 'concurency: 2\n' });
    const { exitCode, stderr } = await assay(['serve', '--port', '0'], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('assay.config.yaml:1:1');
  });

  it('lets tokens with roles in, as far as their role goes, until they are deleted', async () => {
    const cwd = await temporaryFolder({});
    const created = await assay(['token', 'create', 'ann', '--role', 'reader', '--json'], { cwd });
    const { token } = JSON.parse(created.stdout) as { token: string };
    expect(created).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('only once') });
    const { url } = await serving(cwd);
    const as = (path: string, method = 'GET') =>
      fetch(new URL(path, url), {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
    expect((await as('/api/runs')).status).toBe(200);
    const refused = await as('/api/runs', 'POST');
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'ROLE_NEEDED', neededRole: 'runner', error: expect.stringContaining('runner') }),
    ]);
    const listed = await assay(['token', 'list'], { cwd });
    expect(listed.stdout).toMatch(/reader {4}\d{4}-\d\d-\d\d {2}ann\n/);
    expect(listed.stdout).not.toContain(token);
    await assay(['token', 'delete', 'ann'], { cwd });
    expect((await as('/api/runs')).status).toBe(401);
  });

  it.each([
    [['create', 'ann'], 'The role of the token is missing'],
    [['create', 'ann', '--role', 'king'], 'There is no role "king"'],
    [['delete', 'nobody'], 'There is no token "nobody"'],
  ])('refuses assay token %j', async (args, message) => {
    const result = await assay(['token', ...args], { cwd: await temporaryFolder({}) });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});
