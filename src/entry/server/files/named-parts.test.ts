import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveFiles } from '../../../testing/fakes/server/served-project.ts';
import type { ApiError } from '../api/paging.ts';
import type { ConnectorTest, NamedParts } from '../api/project.ts';
import { mask } from './masks.ts';

const config = `# ours
connectors:
  # the shop
  shop:
    type: http
    baseUrl: https://shop.example
    headers: { authorization: Bearer abcdef123456, x-key: "\${SHOP_KEY}", accept: text/plain }
`;

describe('personas and connectors', () => {
  it('are written into a config that is made for them', async () => {
    await using served = await serveFiles();
    const none = await served.get<NamedParts>('/api/personas');
    expect(none).toMatchObject({ file: null, revision: null, isEditable: true, items: [] });
    expect(none.schema).toMatchObject({ properties: { goal: { type: 'string' } } });
    const value = { goal: 'buy', messages: ['Hi'] };
    const response = await served.send('PUT', '/api/personas/ann%20b', { value, revision: null });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ file: 'assay.config.yaml', items: [{ name: 'ann b', value }] });
    expect((await served.context.project()).config.personas).toMatchObject({ 'ann b': { goal: 'buy' } });
    const again = await served.send('PUT', '/api/personas/bob', { value, revision: null });
    expect(again.status).toBe(409);
  });

  it('are shown without secrets, which survive being written back', async () => {
    await using served = await serveFiles({ 'assay.config.yaml': config });
    const { items, revision } = await served.get<NamedParts>('/api/connectors');
    const value = items[0]?.value ?? {};
    expect(value.headers).toEqual({ authorization: mask, 'x-key': '${SHOP_KEY}', accept: 'text/plain' });
    const changed = { ...value, baseUrl: 'https://other.example' };
    expect((await served.send('PUT', '/api/connectors/shop', { value: changed, revision })).status).toBe(200);
    const text = await readFile(join(served.folder, 'assay.config.yaml'), 'utf8');
    expect(text).toBe(config.replace('shop.example', 'other.example'));
  });

  it('refuse a mask that stands for nothing', async () => {
    await using served = await serveFiles({ 'assay.config.yaml': config });
    const { revision } = await served.get<NamedParts>('/api/connectors');
    const value = { type: 'http', baseUrl: 'https://x.example', headers: { 'x-api-key': mask } };
    const response = await served.send('PUT', '/api/connectors/shop', { value, revision });
    expect(response.status).toBe(400);
    expect(((await response.json()) as ApiError).error).toContain('headers.x-api-key');
  });

  it('report their problems, and leave the file alone', async () => {
    await using served = await serveFiles({ 'assay.config.yaml': config });
    const { revision } = await served.get<NamedParts>('/api/connectors');
    const put = async (value: object) => {
      const response = await served.send('PUT', '/api/connectors/shop', { value, revision });
      expect(response.status).toBe(422);
      return ((await response.json()) as ApiError).problems?.[0];
    };
    expect(await put({ type: 'htp' })).toMatchObject({
      message: expect.stringContaining('htp'),
      hint: expect.stringContaining('http'),
    });
    expect(await put({ type: 'http', config: { method: 'FETCH' } })).toMatchObject({
      message: expect.stringContaining('method'),
    });
    expect(await put({ type: 'http', baseURL: 'x' })).toMatchObject({ message: expect.stringContaining('baseURL') });
    expect(await readFile(join(served.folder, 'assay.config.yaml'), 'utf8')).toBe(config);
  });

  it('are taken out, unless the file changed meanwhile', async () => {
    await using served = await serveFiles({ 'assay.config.yaml': config });
    const { revision } = await served.get<NamedParts>('/api/connectors');
    expect((await served.send('DELETE', '/api/connectors/none', { revision })).status).toBe(404);
    await writeFile(join(served.folder, 'assay.config.yaml'), `${config}# changed\n`);
    const conflict = await served.send('DELETE', '/api/connectors/shop', { revision });
    expect(conflict.status).toBe(409);
    expect(await conflict.json()).toMatchObject({ code: 'FILE_CONFLICT', current: { path: 'assay.config.yaml' } });
    const now = await served.get<NamedParts>('/api/connectors');
    const response = await served.send('DELETE', '/api/connectors/shop', { revision: now.revision });
    expect(await response.json()).toMatchObject({ items: [] });
  });

  it.each([
    ['assay.config.toml', '[personas.ann]\ngoal = "buy"\n', 'TOML'],
    ['assay.config.mjs', 'export default { personas: { ann: { goal: "buy" } } };\n', 'program'],
  ])('are shown and not written in %s', async (file, text, reason) => {
    await using served = await serveFiles({ [file]: text });
    const parts = await served.get<NamedParts>('/api/personas');
    expect(parts).toMatchObject({ file, isEditable: false, whyNot: expect.stringContaining(reason) });
    expect(parts.items).toMatchObject([{ name: 'ann', value: { goal: 'buy' } }]);
    const response = await served.send('PUT', '/api/personas/ann', { value: {}, revision: parts.revision });
    expect(response.status).toBe(400);
    expect(await readFile(join(served.folder, file), 'utf8')).toBe(text);
  });
});

describe('the test of a connector', () => {
  it('gives what the agent says', async () => {
    const agent = createServer((request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json').end('{"content":"Good day"}');
    });
    await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`;
    await using served = await serveFiles({
      'assay.config.json': JSON.stringify({ connectors: { a: { type: 'http', baseUrl: url } } }),
    });
    const response = await served.send('POST', '/api/connectors/a/test', { message: 'Hello' });
    expect(await response.json()).toMatchObject({ isReached: true, reply: 'Good day', problem: null });
    await new Promise((resolve) => agent.close(resolve));
    const away = (await (await served.send('POST', '/api/connectors/a/test')).json()) as ConnectorTest;
    expect(away).toMatchObject({ isReached: false, problem: { message: expect.any(String) } });
    expect(away.problem?.hint).not.toBe('');
    expect((await served.send('POST', '/api/connectors/b/test')).status).toBe(404);
  });
});
