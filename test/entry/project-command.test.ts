import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { listen } from '../../src/testing/support/http-server.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const config = `# The shop
scenarios: [checks] # all of them

connectors:
  shop: { type: http, baseUrl: "http://127.0.0.1:9/" } # replaced below
`;
const refund = `# Asks for money back
name: refund
connector: shop # the agent
userMessages: [hello]   # word for word
evaluators: [{ type: regex, config: { pattern: hi } }]
`;

describe('assay project', () => {
  it('creates, changes and deletes entities in files whose comments stay, and refuses what would break', async () => {
    const agent = createServer((_request, response) => response.end('hi'));
    const url = await listen(agent, 'http');
    const cwd = await temporaryFolder({ 'assay.config.yaml': config, 'checks/refund.yaml': refund });
    const run = async (line: string) => {
      const { exitCode, stdout, stderr } = await assay(['project', ...line.split(' ')], { cwd });
      return { exitCode, text: stdout + stderr };
    };
    const written = (file: string) => readFile(join(cwd, file), 'utf8');

    expect(await run(`update connector shop --set baseUrl=${url}`)).toMatchObject({ exitCode: 0 });
    expect(await run('create persona ann --set description=hurried --set systemPrompt=Be_brief')).toMatchObject({
      exitCode: 0,
    });
    expect(await written('assay.config.yaml')).toBe(
      `${config.replace('http://127.0.0.1:9/', url)}personas:\n  ann:\n    description: hurried\n    systemPrompt: Be_brief\n`,
    );
    expect(await run('update scenario refund --set maxMessages=4 --set evaluators.0.config.pattern=hi+')).toMatchObject(
      { exitCode: 0 },
    );
    expect(await written('checks/refund.yaml')).toBe(
      `${refund.replace('pattern: hi', 'pattern: hi+')}maxMessages: 4\n`,
    );

    const gone = await run('delete connector shop');
    expect([gone.exitCode, gone.text]).toEqual([2, expect.stringContaining('checks/refund.yaml:3:')]);
    const wrong = await run('update scenario refund --set maxMessages=none');
    expect([wrong.exitCode, wrong.text]).toEqual([2, expect.stringContaining('maxMessages')]);
    expect(await written('checks/refund.yaml')).toContain('maxMessages: 4');

    expect(await run('create eval smoke --set scenarios=[refnd] --set connector=shop')).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining('Did you mean `refund`?'),
    });
    expect(await run('create eval smoke --set scenarios=[refund] --set connector=shop')).toMatchObject({ exitCode: 0 });
    for (const execution of [1, 2]) {
      expect((await assay(['run', '--eval', 'smoke', '--quiet'], { cwd })).exitCode).toBe(0);
      const { request } = await serving(cwd);
      const { items } = (await (await request('/api/runs')).json()) as { items: unknown[] };
      expect(items[0]).toMatchObject({ execution: { eval: 'smoke', id: execution }, scenarioNames: ['refund'] });
    }
    expect(await run('delete scenario refund')).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining('eval "smoke"'),
    });
    expect(await run('delete eval smoke')).toMatchObject({ exitCode: 0 });
    expect(await run('delete scenario refund')).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(cwd, 'checks/refund.yaml'))).toBe(false);
  });

  it.each([
    ['create persona ann', 'Nothing says what to write'],
    ['create person ann --set a=b', 'Did you mean `persona`?'],
    ['creat persona ann --set a=b', 'Did you mean `create`?'],
    ['show persona nobody', 'There is no persona "nobody"'],
    ['create connector shop --set type=http', 'There is already a "shop"'],
    ['create scenario new --set name=new --file ../out.yaml', 'outside'],
  ])('refuses %s', async (line, message) => {
    const cwd = await temporaryFolder({ 'assay.config.yaml': config, 'checks/refund.yaml': refund });
    const { exitCode, stderr } = await assay(['project', ...line.split(' ')], { cwd });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('scenarios over REST', () => {
  it('are written with ETags, and only where nothing else changed them', async () => {
    const cwd = await temporaryFolder({ 'assay.config.yaml': config, 'checks/refund.yaml': refund });
    const { url, token } = await serving(cwd);
    const send = (method: string, body?: unknown, headers: Record<string, string> = {}, name = 'refund') =>
      fetch(new URL(`/api/scenarios/${name}`, url), {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const read = await send('GET');
    const { value, revision } = (await read.json()) as { value: Record<string, unknown>; revision: string };
    const tag = read.headers.get('etag') ?? '';
    expect(tag).toBe(`"${revision}"`);
    const changed = { value: { ...value, maxMessages: 4 } };
    expect((await send('PUT', changed)).status).toBe(428);
    expect((await send('PUT', changed, { 'if-match': '"other"' })).status).toBe(412);
    expect((await send('PUT', { ...changed, revision: 'other' })).status).toBe(409);
    expect((await send('PUT', { value: { ...value, maxMessages: 'many' } }, { 'if-match': tag })).status).toBe(422);
    expect(await readFile(join(cwd, 'checks/refund.yaml'), 'utf8')).toBe(refund);
    expect((await send('PUT', changed, { 'if-match': tag })).status).toBe(200);
    expect(await readFile(join(cwd, 'checks/refund.yaml'), 'utf8')).toBe(`${refund}maxMessages: 4\n`);
    const isNew = { 'if-none-match': '*' };
    expect((await send('PUT', { value }, isNew, 'refund')).status).toBe(400);
    const copy = await send('PUT', { value: { ...value, name: 'copy' } }, isNew, 'copy');
    expect(await copy.json()).toMatchObject({ name: 'copy', file: 'checks/copy.yaml' });
    expect((await send('DELETE', {}, { 'if-match': copy.headers.get('etag') ?? '' }, 'copy')).status).toBe(200);
    expect(existsSync(join(cwd, 'checks/copy.yaml'))).toBe(false);
    expect((await send('GET', undefined, {}, 'copy')).status).toBe(404);
  });
});
