import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import type { FileConflict, ProjectFile } from '../api/project.ts';

const scenario = `name: adds
call: { module: ./tool.mjs, export: add }
input: { a: 1 }
passCriteria: [result == 1]
`;
const tool = 'export const add = ({ a }) => a;\n';

async function put(served: ServedProject, path: string, body: object): Promise<Response> {
  return served.send('PUT', `/api/files/${path}`, { kind: 'scenario', ...body });
}

describe('files of the project', () => {
  it('are read with their kind, problems and revision', async () => {
    await using served = await serveFiles({ 'a.yaml': scenario, 'tool.mjs': tool, 'bad.yaml': 'name: x\ncall: 3\n' });
    const file = await served.get<ProjectFile>('/api/files/a.yaml');
    expect(file).toMatchObject({ path: 'a.yaml', kind: 'scenario', text: scenario, isEditable: true, problems: [] });
    const bad = await served.get<ProjectFile>('/api/files/bad.yaml');
    expect(bad.problems[0]).toMatchObject({ line: 2, severity: 'error' });
    const program = await served.get<ProjectFile>('/api/files/tool.mjs');
    expect(program).toMatchObject({ isEditable: false, whyNot: expect.stringContaining('program'), text: tool });
    expect((await served.request('/api/files/none.yaml')).status).toBe(404);
    expect((await served.request('/api/files/..%2f..%2fetc%2fpasswd')).status).toBe(400);
  });

  it('are written whole, with their permissions and through links, and leave nothing behind', async () => {
    await using served = await serveFiles({ 'a.yaml': scenario, 'tool.mjs': tool });
    await chmod(join(served.folder, 'a.yaml'), 0o640);
    await symlink('a.yaml', join(served.folder, 'b.yaml'));
    const { revision } = await served.get<ProjectFile>('/api/files/b.yaml');
    const response = await put(served, 'b.yaml', { text: '# new\n', revision });
    expect(response.status).toBe(200);
    expect(await readFile(join(served.folder, 'a.yaml'), 'utf8')).toBe('# new\n');
    expect((await stat(join(served.folder, 'a.yaml'))).mode & 0o777).toBe(0o640);
    expect((await readdir(served.folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('are not overwritten when they changed meanwhile', async () => {
    await using served = await serveFiles({ 'a.yaml': scenario });
    const { revision } = await served.get<ProjectFile>('/api/files/a.yaml');
    await writeFile(join(served.folder, 'a.yaml'), '# by another editor\n');
    const response = await put(served, 'a.yaml', { text: '# mine\n', revision });
    expect(response.status).toBe(409);
    const conflict = (await response.json()) as FileConflict;
    expect(conflict).toMatchObject({ code: 'FILE_CONFLICT', current: { text: '# by another editor\n' } });
    expect(await readFile(join(served.folder, 'a.yaml'), 'utf8')).toBe('# by another editor\n');
    const again = await put(served, 'a.yaml', { text: '# mine\n', revision: conflict.current?.revision });
    expect(again.status).toBe(200);
  });

  it('refuse the second of two writers who read the same', async () => {
    await using served = await serveFiles({ 'a.yaml': scenario });
    const { revision } = await served.get<ProjectFile>('/api/files/a.yaml');
    const texts = Array.from({ length: 10 }, (_, index) => `# ${index}\n`);
    const answers = await Promise.all(texts.map((text) => put(served, 'a.yaml', { text, revision })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  it('are created with their folders, and never over another', async () => {
    await using served = await serveFiles({ 'a.yaml': scenario });
    expect((await put(served, 'deep/er/b.yaml', { text: 'x: 1', revision: null })).status).toBe(200);
    expect(await readFile(join(served.folder, 'deep/er/b.yaml'), 'utf8')).toBe('x: 1');
    const answers = await Promise.all(['1', '2'].map((text) => put(served, 'c.yaml', { text, revision: null })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await put(served, 'a.yaml', { text: '', revision: null })).status).toBe(409);
    expect(await readFile(join(served.folder, 'a.yaml'), 'utf8')).toBe(scenario);
    const gone = await put(served, 'gone.yaml', { text: '', revision: 'abc' });
    expect(gone.status).toBe(409);
    expect(await gone.json()).toMatchObject({ current: null });
  });

  it('are deleted only as they were read', async () => {
    await using served = await serveFiles({ 'a.yaml': scenario });
    expect((await served.send('DELETE', '/api/files/a.yaml', { revision: 'other' })).status).toBe(409);
    expect((await served.send('DELETE', '/api/files/a.yaml')).status).toBe(428);
    const { revision } = await served.get<ProjectFile>('/api/files/a.yaml');
    expect((await served.send('DELETE', '/api/files/a.yaml', { revision })).status).toBe(200);
    expect((await served.request('/api/files/a.yaml')).status).toBe(404);
  });

  it('keep their line ends, byte order mark and missing last newline', async () => {
    const text = '\uFEFF# one\r\nname: x\r\n# last';
    await using served = await serveFiles({ 'a.yaml': text });
    const file = await served.get<ProjectFile>('/api/files/a.yaml');
    expect(file.text).toBe('# one\nname: x\n# last');
    const answer = await put(served, 'a.yaml', { text: file.text.replace('one', 'two'), revision: file.revision });
    expect(((await answer.json()) as ProjectFile).text).toBe('# two\nname: x\n# last');
    expect(await readFile(join(served.folder, 'a.yaml'), 'utf8')).toBe(text.replace('one', 'two'));
  });

  it('are of the kind that their name allows, and no programs', async () => {
    await using served = await serveFiles({ 'tool.mjs': tool });
    const config = await served.send('PUT', '/api/files/assay.config.yaml', {
      kind: 'scenario',
      text: '',
      revision: null,
    });
    expect(config.status).toBe(400);
    const other = await served.send('PUT', '/api/files/x.yaml', { kind: 'config', text: '', revision: null });
    expect(other.status).toBe(400);
    expect((await put(served, 'tool2.mjs', { text: tool, revision: null })).status).toBe(400);
  });

  it('show no secret that is written out in them, and get it back when they are written', async () => {
    const config = `connectors:
  shop:
    type: http
    baseUrl: https://user:hunter22@shop.example/chat
    headers:
      authorization: "Bearer abcdef123456"
      x-key: \${SHOP_KEY}
      accept: text/plain # stays
`;
    await using served = await serveFiles({ 'assay.config.yaml': config });
    const file = await served.get<ProjectFile>('/api/files/assay.config.yaml');
    expect(file.text).not.toMatch(/hunter22|abcdef123456/);
    expect(file.text).toContain('${SHOP_KEY}');
    const text = file.text.replace('text/plain', 'text/html');
    const write = { kind: 'config', text, revision: file.revision };
    expect((await served.send('PUT', '/api/files/assay.config.yaml', write)).status).toBe(200);
    const written = await readFile(join(served.folder, 'assay.config.yaml'), 'utf8');
    expect(written).toBe(config.replace('text/plain', 'text/html'));
    const broken = `${config}\n  : : [`;
    await writeFile(join(served.folder, 'assay.config.yaml'), broken);
    const listedFile = await served.get<ProjectFile>('/api/files/assay.config.yaml');
    expect(listedFile.text).not.toMatch(/hunter22|abcdef123456/);
    expect(listedFile.problems.length).toBeGreaterThan(0);
  });

  it('get a secret back only where it is masked again, and mask private keys and passwords of any address', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\n        MIIabcdef\n        -----END PRIVATE KEY-----';
    const config = `description: a project
connectors:
  shop:
    type: http
    baseUrl: https://shop.example/chat
    headers: { authorization: Bearer abcdef123456 }
  desk:
    type: http
    baseUrl: https://desk.example/chat
    metadata:
      proxy: http://user:hunter22@proxy.example
      certificate: |
        ${key}
`;
    await using served = await serveFiles();
    await writeFile(join(served.folder, 'assay.config.yaml'), config);
    const { text, revision } = await served.get<ProjectFile>('/api/files/assay.config.yaml');
    expect(text).not.toMatch(/hunter22|abcdef/);
    expect(text.match(/••••••••\d/g)).toEqual(['••••••••1', '••••••••2', '••••••••3']);
    const put = async (changed: string) => {
      const answer = await served.send('PUT', '/api/files/assay.config.yaml', {
        kind: 'config',
        text: changed,
        revision,
      });
      return { status: answer.status, body: JSON.stringify(await answer.json()) };
    };
    for (const moved of ['••••••••1', 'key ••••••••2']) {
      const { status, body } = await put(text.replace('a project', moved));
      expect([status, body]).toEqual([400, expect.stringContaining('The mask in line 1 ')]);
      expect(body).not.toMatch(/hunter22|abcdef/);
    }
    expect(await readFile(join(served.folder, 'assay.config.yaml'), 'utf8')).toBe(config);
    expect((await put(text.replace('  desk:', '  counter:'))).status).toBe(200);
    const written = await readFile(join(served.folder, 'assay.config.yaml'), 'utf8');
    expect(written).toBe(config.replace('  desk:', '  counter:'));
  });

  it('can be mended although the config is wrong', async () => {
    await using served = await serveFiles({ 'assay.config.yaml': 'concurrency: 2\n', 'a.yaml': scenario });
    await writeFile(join(served.folder, 'assay.config.yaml'), 'concurency: 2\n');
    const file = await served.get<ProjectFile>('/api/files/assay.config.yaml');
    expect(file.problems).toMatchObject([{ line: 1, hint: expect.stringContaining('concurrency') }]);
    const write = { kind: 'config', text: 'concurrency: 3\n', revision: file.revision };
    expect((await served.send('PUT', '/api/files/assay.config.yaml', write)).status).toBe(200);
    expect((await served.context.project()).config.concurrency).toBe(3);
  });
});
