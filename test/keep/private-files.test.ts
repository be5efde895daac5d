import type { ChildProcess } from 'node:child_process';
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assay, ended, startAssay } from '../../src/testing/support/assay.ts';
import { toolEnvironment, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { exportOf, startCollecting, toolSpan } from '../../src/testing/support/collecting.ts';
import { serve } from '../../src/testing/support/http-server.ts';
import { answerText, criteriaReply, judgedScenario, secretKey } from '../../src/testing/support/judged-project.ts';

let before: number;
beforeAll(() => {
  before = process.umask(0o022);
});
afterAll(() => void process.umask(before));

const files = {
  'call.json': judgedScenario({ successCriteria: 'The answer names Paris' }),
  'tool.mjs': `export const answer = () => ({ text: ${JSON.stringify(answerText)} });\n`,
  'script.yaml': 'steps:\n  - my-tool create | tee made.txt\n  - say: done\n',
  'bin/my-tool': '#!/bin/sh\necho made\n',
  'assay.config.yaml':
    'agent: scripted\nagents: { scripted: { script: script.yaml } }\njudge: { model: openai/gpt-4o-mini }\ncollect: { quietSecs: 3600, idleSecs: 3600 }\n',
};

/** Everything that Assay keeps of a project: what it is, and the files that must be among it. */
const kept: readonly (readonly [what: string, path: RegExp])[] = [
  ['the store', /^\.assay\/assay\.db$/],
  ['what was not written back to the store yet', /^\.assay\/assay\.db-(?:wal|shm)$/],
  ['spans that wait for their trace', /^\.assay\/collect\/spool\.db$/],
  ['runs that wait to be sent', /^\.assay\/export\.db$/],
  ['verdicts', /^\.assay\/judge-cache\//],
  ['results of trials', /^\.assay\/trial-cache\//],
  ['what agents left', /^\.assay\/artifacts\//],
  ['tokens', /^\.assay\/serve-tokens\.json$/],
  ['tapes', /^tapes\//],
];

/** They say nothing of a run, or are made to be given to others. */
const shared = /(?:^|\/)\.gitignore$|^\.assay\/reports\//;

it('lets nobody else read what it keeps of a project', { timeout: 300_000 }, async () => {
  await using model = await startScriptedModel({ rules: [{ reply: { json: criteriaReply('met') } }] });
  const scenario = toolScenario('[{ type: file_exists, path: made.txt }]');
  const cwd = await toolProject({ scenario, script: files['script.yaml'], files });
  const env = { ...toolEnvironment(cwd), OPENAI_API_KEY: secretKey, ...model.environment };
  const commands = [
    ['run', 'scenario.yaml', 'call.json', '--reuse'],
    ['run', 'scenario.yaml', 'call.json', '--record', 'tapes'],
    ['baseline', 'set', 'latest'],
    ['report', 'latest', '--format', 'html,json'],
    ['token', 'create', 'ci', '--role', 'runner'],
  ];
  for (const args of commands) {
    const { exitCode, stdout, stderr } = await assay(args, { cwd, env });
    expect(exitCode, `${args.join(' ')}: ${stdout}${stderr}`).toBe(0);
  }
  // The run waits where its export is killed.
  const exporting: { child?: ChildProcess } = {};
  const receiver = await serve(() => void exporting.child?.kill('SIGKILL'));
  exporting.child = startAssay(['export', 'latest', '--otlp', receiver], { cwd, env });
  expect((await ended(exporting.child)).signal).toBe('SIGKILL');
  const collecting = await startCollecting(cwd, undefined, env);
  expect((await collecting.send(exportOf([toolSpan({ trace: 1, span: 2, parent: 1 })]))).status).toBe(200);

  const made = (await filesOf(cwd)).filter(({ path }) => /^(?:\.assay|tapes)\//.test(path));
  expect(kept.filter(([, pattern]) => !made.some(({ path }) => pattern.test(path))).map(([what]) => what)).toEqual([]);
  const readable = made.filter(({ path, isReadable }) => isReadable && !shared.test(path));
  expect(readable.map(({ path }) => path)).toEqual([]);
  expect((await collecting.stop()).exitCode).toBe(0);
});

/** The files of a folder, and whether other users can read them: they can enter every folder above, and read the file. */
async function filesOf(folder: string): Promise<{ readonly path: string; readonly isReadable: boolean }[]> {
  const paths = await readdir(folder, { recursive: true });
  const entries = new Map<string, Stats>();
  for (const path of paths) entries.set(path, await lstat(join(folder, path)));
  const isOpen = (path: string): boolean =>
    path === '.' || (((entries.get(path)?.mode ?? 0) & 0o055) !== 0 && isOpen(dirname(path)));
  return paths
    .filter((path) => entries.get(path)?.isFile())
    .map((path) => ({ path, isReadable: ((entries.get(path)?.mode ?? 0) & 0o044) !== 0 && isOpen(dirname(path)) }));
}
