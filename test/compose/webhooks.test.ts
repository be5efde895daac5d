import { createHmac } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { listen } from '../../src/testing/support/http-server.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that answers with the given statuses in turn, and then with 204; 0 never answers. */
async function receiver(statuses: readonly number[] = []) {
  const received: Received[] = [];
  const waiting = [...statuses];
  let onReceived = (): void => undefined;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      const status = waiting.shift() ?? 204;
      if (status !== 0) response.writeHead(status).end();
      onReceived();
    });
  });
  const url = await listen(server, 'http');
  const next = () => new Promise<void>((resolve) => (onReceived = resolve));
  return { url, received, next };
}

const secret = 'a-key-for-signatures-0123';
const env = { HOOK_SIGN: secret, DEMO_API_KEY: 'sk-demo-4711471147114711' };

/** As the guide tells receivers to check a request. */
function isGenuine({ headers, body }: Received, key: string): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

const scenario = `name: echo
call: { command: "cat answer.json" }
cases:
  - { name: one, input: {} }
  - { name: two, input: {} }
passCriteria: [result.ok === true]
`;

function project(hooks: string, more: Readonly<Record<string, string>> = {}) {
  const config = `webhooks:\n${hooks}`;
  return temporaryFolder({ 'assay.config.yaml': config, 's.yaml': scenario, 'answer.json': '{"ok":true}', ...more });
}

const eventsOf = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body).event).sort();

describe('webhooks', () => {
  it('are signed, retried with the same id, and get what they want to know', async () => {
    const all = await receiver([500, 429]);
    const cwd = await project(
      `  - { url: "${all.url}/all", secret: "\${HOOK_SIGN}", events: [run-finished, regression, error] }\n`,
    );
    expect((await assay(['run'], { cwd, env })).exitCode).toBe(0);
    expect(all.received.map(({ path }) => path)).toEqual(['/all', '/all', '/all']);
    expect(new Set(all.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(all.received.every((each) => isGenuine(each, secret))).toBe(true);
    expect(all.received.some((each) => isGenuine(each, `${secret}x`))).toBe(false);
    const [first] = all.received.map(({ body }) => JSON.parse(body));
    expect(first).toMatchObject({
      schema: 'assay.webhook/1',
      id: all.received[0]?.headers['webhook-id'],
      event: 'run-finished',
      run: { status: 'finished', outcome: 'pass', totals: { planned: 2, pass: 2 } },
    });

    await assay(['baseline', 'set'], { cwd, env });
    all.received.length = 0;
    await writeFile(join(cwd, 'answer.json'), '{"ok":false}');
    expect((await assay(['run', '--baseline', 'default', '--any-break'], { cwd, env })).exitCode).toBe(1);
    expect(eventsOf(all.received)).toEqual(['regression', 'run-finished']);
    const worse = all.received.map(({ body }) => JSON.parse(body)).find(({ event }) => event === 'regression');
    expect(worse).toMatchObject({
      regressionCount: 2,
      regressions: [{ rule: 'check', scenario: 'echo', caseId: 'one' }, {}],
    });

    all.received.length = 0;
    await writeFile(
      join(cwd, 's.yaml'),
      scenario.replace('command: "cat answer.json"', 'url: "http://127.0.0.1:9/?key=${DEMO_API_KEY}"'),
    );
    expect((await assay(['run'], { cwd, env })).exitCode).toBe(3);
    expect(eventsOf(all.received)).toEqual(['error', 'run-finished']);
    const texts = all.received.map(({ body }) => body).join('');
    expect(JSON.parse(all.received.find(({ body }) => body.includes('"event":"error"'))?.body ?? '')).toMatchObject({
      errorCount: 2,
      errors: [{ scenario: 'echo', caseId: 'one', reason: expect.stringContaining('127.0.0.1:9') }, {}],
    });
    expect(texts).not.toContain(env.DEMO_API_KEY);
    expect(texts).not.toContain(secret);
    expect(await readdir(join(cwd, '.assay/webhooks'))).toEqual([]);
  });

  it('change neither verdict nor exit code when they fail, and get their events after the next run', async () => {
    const slow = await receiver([0]);
    const closed = await receiver([400]);
    const hook = (url: string, key: string) => `  - { url: "${url}", secret: "\${${key}}", timeoutSecs: 0.5 }\n`;
    const cwd = await project(
      hook(slow.url, 'HOOK_SIGN') + hook(closed.url, 'HOOK_SIGN') + hook(`${slow.url}/b`, 'NOT_SET'),
    );
    const failed = await assay(['run', '--json'], { cwd, env });
    expect(failed.exitCode).toBe(0);
    expect(JSON.parse(failed.stdout)).toMatchObject({ outcome: 'pass' });
    expect(failed.stderr).toMatch(
      /warning: Webhook 127\.0\.0\.1:\d+ did not take .*not answer in time.*after the next run/,
    );
    expect(failed.stderr).toMatch(/it answered with 400\)\. It is not sent again/);
    expect(failed.stderr).toContain('the environment variable NOT_SET is not set');
    expect(closed.received).toHaveLength(1);
    expect(slow.received.map(({ path }) => path)).toEqual(['/']);

    const { request, child } = await serving(cwd, env);
    const waiting = await (await request('/api/webhooks')).json();
    expect(waiting).toMatchObject({
      items: [
        { events: ['run-finished'], waiting: [{ attempts: 1 }] },
        { waiting: [] },
        { waiting: [{ attempts: 0 }] },
      ],
    });
    expect(JSON.stringify(waiting)).not.toContain(secret);
    slow.received.length = 0;
    const lastTaken = slow.next().then(() => slow.next());
    await request('/api/runs', { method: 'POST', body: '{}' });
    await lastTaken;
    const ids = slow.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(2);
    expect(slow.received.every((each) => isGenuine(each, secret))).toBe(true);
    child.kill('SIGINT');
  });

  it.each([
    ['secret: plain-text', 'must be an environment variable'],
    ['secret: "${X}", url: "ftp://x"', 'must be an http or https URL'],
    ['secret: "${X}", events: [run-ended]', 'events'],
  ])('are refused with %s', async (keys, message) => {
    const cwd = await project(
      `  - { url: "http://127.0.0.1:9/", ${keys} }\n`.replace(
        'url: "http://127.0.0.1:9/", secret: "${X}", url',
        'secret: "${X}", url',
      ),
    );
    const { exitCode, stderr } = await assay(['run'], { cwd, env });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).toContain('assay.config.yaml:2:');
  });
});
