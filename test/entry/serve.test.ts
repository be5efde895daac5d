import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assay, ended, startAssay } from '../../src/testing/support/assay.ts';
import { listen } from '../../src/testing/support/http-server.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

describe('assay serve', () => {
  it('tells scripts where it is, and ends when it is told to', async () => {
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
    [['--port', '70000'], {}, 'whole number'],
  ])('refuses %j with %j', async (args, env, message) => {
    const result = await assay(['serve', ...args], { cwd: await temporaryFolder({}), env });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });

  it('takes a token of the user', async () => {
    const own = 'a-token-of-my-own-1234567890';
    const { token, request } = await serving(await temporaryFolder({}), { ASSAY_SERVE_TOKEN: own });
    expect(token).toBe(own);
    expect((await request('/api/status')).status).toBe(200);
  });

  it('says what is wrong with a config, and where', async () => {
    const cwd = await temporaryFolder({ 'assay.config.yaml': 'concurency: 2\n' });
    const { exitCode, stderr } = await assay(['serve', '--port', '0'], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('assay.config.yaml:1:1');
  });
});
