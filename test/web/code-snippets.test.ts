import { execFile } from 'node:child_process';
import { mkdir, stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { snippetsOf } from '../../web/src/pages/scenario-editor/code/snippets.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..', '..');
const file = 'scenarios/it\'s $(touch hacked) "quoted".json';
const scenario = `--a "name" with 'quotes', \`ticks\` and $HOME`;
const token = 'a-token-for-the-code-on-the-page';

function conversation(name: string) {
  return {
    name,
    connector: { type: 'module', config: { module: '../agent.mjs' } },
    userMessages: ['Hello'],
    evaluators: [{ type: 'contains', config: { text: 'Hi' } }],
  };
}

function snippet(title: string, chosen: string | undefined, origin = ''): string {
  const found = snippetsOf({ file, scenario: chosen, origin }).find((one) => one.title === title);
  if (!found) throw new Error(`There is no ${title}.`);
  return found.text;
}

/** Runs a script in which `assay` is the built program. */
async function shell(script: string, cwd: string): Promise<string> {
  const assay = `assay() { '${process.execPath}' '${join(root, 'bin', 'assay.js')}' "$@"; }`;
  const env = { ...process.env, ASSAY_SERVE_TOKEN: token };
  return (await run('sh', ['-c', `${assay}\n${script}`], { cwd, env })).stdout;
}

it('the code on the page of a scenario runs it from a shell, over HTTP and from a program, whatever its name', async () => {
  const folder = await temporaryFolder({
    [file]: JSON.stringify([conversation(scenario), conversation('another one')]),
    'agent.mjs': "export default () => ({ content: 'Hi' });\n",
    'assay.config.json': '{ "scenarios": ["scenarios"] }',
    'run.mjs': snippet('Library', undefined),
  });
  const { totals } = JSON.parse(await shell(`${snippet('Command line', scenario)} --json`, folder)) as {
    totals: unknown;
  };
  expect(totals).toMatchObject({ planned: 1, pass: 1 });

  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules', 'assay'), 'dir');
  const { stdout } = await run(process.execPath, ['run.mjs'], { cwd: folder });
  expect(stdout).toBe('pass All 2 trials passed\n');

  const { url, request } = await serving(folder, { ASSAY_SERVE_TOKEN: token });
  const answer = await shell(snippet('REST', scenario, new URL(url).origin), folder);
  const { runId } = JSON.parse(answer) as { runId: string };
  const started = (await (await request(`/api/runs/${runId}`)).json()) as { header: { request: unknown } };
  expect(started.header.request).toMatchObject({ paths: [file], scenario });
  await expect(stat(join(folder, 'hacked'))).rejects.toThrow();
});
