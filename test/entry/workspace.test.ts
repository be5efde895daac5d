import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const scenario = (name: string) =>
  `name: ${name}\ncall: { command: "cat" }\ninput: { a: 1 }\npassCriteria: [result.a === 1]\n`;
const conversation = {
  id: 's1',
  name: 'Refund',
  messages: [{ role: 'user', content: 'Hello' }],
  evaluators: [{ type: 'regex', config: { pattern: 'x' } }],
};
const connector = { id: 'c1', name: 'shop', type: 'http', baseUrl: 'http://127.0.0.1:9/' };
const workspace = {
  version: 3,
  name: 'Team',
  projects: [
    { id: 'p-1', name: 'Shop bot' },
    { id: '../../elsewhere', name: 'Escapes' },
    { id: 'gone', name: 'Gone' },
    { id: 'linked', name: 'Linked' },
  ],
};

async function workspaceFolder(): Promise<string> {
  const outside = await temporaryFolder({ 'assay.config.yaml': '', 'o.yaml': scenario('outside') });
  const folder = await temporaryFolder({
    'alpha/assay.config.yaml': 'scenarios: [checks]\n',
    'alpha/checks/a.yaml': scenario('of alpha'),
    'beta/assay.config.yaml': 'concurency: 2\n',
    'evalstudio.config.json': JSON.stringify(workspace),
    'projects/p-1/data/scenarios.json': JSON.stringify([conversation]),
    'projects/p-1/data/connectors.json': JSON.stringify([connector]),
  });
  await symlink(outside, join(folder, 'projects', 'linked'));
  await symlink(outside, join(folder, 'sneaky'));
  return folder;
}

describe('assay serve <folder>', () => {
  it('serves every project in the folder with its own config, scenarios and store, and nothing outside', async () => {
    const folder = await workspaceFolder();
    const { request, url } = await serving(folder, {}, ['.']);
    const json = async (path: string, init?: RequestInit) => (await request(path, init)).json();
    const { items } = (await json('/api/projects')) as { items: { id: string; problem: string | null }[] };
    expect(items).toMatchObject([
      { id: 'p-1', name: 'Shop bot', folder: 'projects/p-1', path: '/projects/p-1', isCurrent: true, problem: null },
      { name: 'Escapes', problem: 'Its id is not the name of a folder.' },
      { id: 'gone', problem: 'There is no folder projects/gone.' },
      { id: 'linked', problem: 'Its folder leads out of the workspace.' },
      { id: 'alpha', folder: 'alpha', isCurrent: false, problem: null },
      { id: 'beta', problem: null },
    ]);
    expect(await json('/api/scenarios')).toMatchObject({ items: [{ name: 'Refund' }] });
    expect(await json('/projects/alpha/api/projects')).toMatchObject({ items: { 4: { isCurrent: true } } });
    expect(await json('/projects/alpha/api/scenarios')).toMatchObject({ items: [{ name: 'of alpha' }] });

    const started = await request('/projects/alpha/api/runs', { method: 'POST', body: '{}' });
    const { runId } = (await started.json()) as { runId: string };
    const events = await (await request(`/projects/alpha/api/runs/${runId}/events`)).text();
    expect(events).toContain('"outcome":"pass"');
    expect(await json('/api/runs')).toMatchObject({ items: [] });
    expect(await json('/projects/alpha/api/runs')).toMatchObject({ items: [{ runId }] });
    expect(existsSync(join(folder, 'alpha/.assay'))).toBe(true);

    expect(await json('/projects/beta/api/status')).toMatchObject({ code: 'CONFIG_INVALID', problems: [{ line: 1 }] });
    await writeFile(join(folder, 'beta/assay.config.yaml'), 'concurrency: 2\n');
    expect((await request('/projects/beta/api/status')).status).toBe(200);

    expect(await json('/projects/linked/api/status')).toMatchObject({ code: 'PROJECT_UNUSABLE' });
    expect((await request('/projects/sneaky/api/status')).status).toBe(404);
    expect((await request('/projects/..%2f..%2felsewhere/api/status')).status).toBe(404);
    expect((await fetch(new URL('/projects/alpha/api/status', url))).status).toBe(401);
    const entered = await fetch(new URL(`/projects/alpha/runs${new URL(url).search}`, url), { redirect: 'manual' });
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/projects/alpha/runs']);
  });

  it.each([
    [['nowhere'], '"nowhere" is not a folder'],
    [['.', '--store', 'sqlite:all.db'], '--store names one store for 6 projects'],
  ])('refuses %j', async (args, message) => {
    const result = await assay(['serve', ...args, '--port', '0'], { cwd: await workspaceFolder() });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});
