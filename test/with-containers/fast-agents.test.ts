import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { containerIsolation } from '../../src/drive/containers/container-isolation.ts';
import { findEngine } from '../../src/drive/containers/engine.ts';
import { runScript } from '../../src/drive/workspace/run-script.ts';
import { containerImage } from '../../src/testing/support/hostile-runs.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { makeImage } from './container-image.ts';

beforeAll(() => makeImage(containerImage));

const runs = 1_000;

it(`all output of ${runs} commands that end at once and do not read their input is kept`, async () => {
  const folder = await temporaryFolder();
  const [directory, home, tmp] = ['work', 'home', 'tmp'].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [directory, home, tmp]) mkdirSync(path);
  const isolation = await containerIsolation(await findEngine(process.env), containerImage);
  const request = { folders: { directory, home, tmp, writable: [] }, hasOwnNetwork: true, imageFolder: false };
  await using system = await isolation.openSystem?.(request);
  if (!system) throw new Error('The tier has no system.');
  const lost: string[] = [];
  const run = async (index: number): Promise<void> => {
    const script = {
      cwd: directory,
      env: {},
      timeoutMs: 60_000,
      tag: `fast-${index}`,
      signal: new AbortController().signal,
    };
    const { stdout, exitCode } = await runScript(
      `echo FAST-${index}`,
      { ...script, stdin: 'Text.\n'.repeat(1_000) },
      (argv, env, input) => system.enter(argv, env, input),
    );
    if (stdout.text !== `FAST-${index}\n` || exitCode !== 0)
      lost.push(`${index}: exit ${exitCode}, ${JSON.stringify(stdout.text)}`);
  };
  for (let index = 0; index < runs; index += 2) await Promise.all([run(index), run(index + 1)]);
  expect(lost).toEqual([]);
  const read = await runScript(
    'cat',
    {
      cwd: directory,
      env: {},
      timeoutMs: 60_000,
      tag: 'read',
      signal: new AbortController().signal,
      stdin: 'the prompt',
    },
    (argv, env, input) => system.enter(argv, env, input),
  );
  expect(read.stdout.text).toBe('the prompt');
}, 1_200_000);
