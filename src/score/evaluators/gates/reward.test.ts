import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StepRewards } from '../../../domain/gate.ts';
import { ask, createWork } from '../../../testing/fakes/score/work.ts';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';
import { reward } from './reward.ts';

interface Verifier {
  readonly command?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: object;
}

/** The answer of the gate about a verifier that leaves files in its logs. */
async function answer({ command = 'true', files = {}, config = {} }: Verifier) {
  await using work = await createWork();
  const logsFolder = await temporaryFolder();
  await mkdir(join(logsFolder, 'verifier'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(logsFolder, 'verifier', name), text);
  const { workspace } = work.context;
  if (!workspace) throw new Error('There is no work directory.');
  return await ask(reward, { command, ...config }, { ...work.context, workspace: { ...workspace, logsFolder } });
}

describe('the reward of a task', () => {
  it.each([
    [{ 'reward.txt': '1\n' }, 'pass', 1],
    [{ 'reward.txt': '0' }, 'fail', 0],
    [{ 'reward.txt': '0.75' }, 'fail', 0.75],
    [{ 'reward.json': '{"reward": 1, "speed": 0.2}' }, 'pass', 1],
    [{ 'reward.json': '{"quality": 0.5, "note": "x"}' }, 'fail', 0.5],
    [{ 'reward.json': '{"reward": 0}', 'reward.txt': '1' }, 'fail', 0],
  ])('%j: %s', async (files, state, value) => {
    expect(await answer({ files })).toMatchObject({ state, value });
  });

  it('passes from the threshold on', async () => {
    const files = { 'reward.txt': '0.75' };
    expect(await answer({ files, config: { threshold: 0.75 } })).toMatchObject({ state: 'pass', value: 0.75 });
  });

  it.each<[string, Verifier]>([
    ['neither reward.json nor reward.txt', {}],
    ['exited with 3', { command: 'exit 3' }],
    ['not a number', { files: { 'reward.txt': 'yes' } }],
    ['not a number', { files: { 'reward.txt': '' } }],
    ['not a number', { files: { 'reward.txt': ' \n' } }],
    ['not a number', { files: { 'reward.txt': 'Infinity' } }],
    ['not JSON', { files: { 'reward.json': '{' } }],
    ['not an object', { files: { 'reward.json': '1' } }],
    ['has no number', { files: { 'reward.json': '{"reward": "1"}' } }],
    ['has several numbers and no `reward`: a, b', { files: { 'reward.json': '{"a": 1, "b": 0}' } }],
    ['did not end within', { command: 'sleep 60', files: { 'reward.txt': '1' }, config: { timeout_secs: 0.2 } }],
  ])('is missing, and an error, where it %s', async (reason, verifier) => {
    await expect(answer(verifier)).rejects.toMatchObject({
      code: 'NO_REWARD',
      message: expect.stringContaining(reason),
    });
  });

  it('is not read through a link or from a pipe, nor where a trial has no logs', async () => {
    await using work = await createWork();
    const { workspace } = work.context;
    if (!workspace) throw new Error('There is no work directory.');
    const answered = (logsFolder: string | undefined) =>
      ask(reward, { command: 'true' }, { ...work.context, workspace: { ...workspace, logsFolder } });
    const missing = (reason: string) => ({ code: 'NO_REWARD', message: expect.stringContaining(reason) });
    const logs = await temporaryFolder({ elsewhere: '1' });
    await mkdir(join(logs, 'verifier'));
    await symlink(join(logs, 'elsewhere'), join(logs, 'verifier/reward.txt'));
    execFileSync('mkfifo', [join(logs, 'verifier/reward.json')]);
    await expect(answered(logs)).rejects.toMatchObject(missing('neither reward.json nor reward.txt'));
    await expect(answered(undefined)).rejects.toMatchObject(missing('the trial had none'));
  });

  const summary = (lines: string): string => `printf '= x =\\n=== short test summary info ===\\n${lines}'`;
  it.each([
    ['PASSED a.py::x\\nPASSED a.py::y\\n', 'pass', 1],
    ['PASSED a.py::x\\nFAILED a.py::y - no\\n', 'fail', 0.5],
    ['ERROR a.py\\n', 'fail', 0],
    ['SKIPPED [1] a.py: no\\nPASSED a.py::x\\n', 'pass', 1],
    ['PASSED a.py::x\\nit was not FAILED before\\n', 'pass', 1],
  ])('of pytest: %j', async (lines, state, value) => {
    expect(await answer({ command: summary(lines), config: { from: 'pytest' } })).toMatchObject({ state, value });
  });

  it.each([
    'true',
    'echo PASSED a.py::x',
    summary('SKIPPED [1] a.py: no\\n'),
    'printf "printed: = short test summary info =\\nPASSED a\\n"',
    'printf "= short test summary info = of another\\nPASSED a\\n"',
  ])('of pytest is missing: %s', async (command) => {
    await expect(answer({ command, config: { from: 'pytest' } })).rejects.toMatchObject({ code: 'NO_REWARD' });
  });

  const given = (name: string, rewards: Readonly<Record<string, number>>) => ({ name, rewards });
  it.each<[string, StepRewards, 'mean' | 'final', object]>([
    [
      'mean',
      { reached: [given('a', { reward: 1 }), given('b', { reward: 0 })], notReached: [] },
      'mean',
      { state: 'fail', value: 0.5 },
    ],
    [
      'last',
      { reached: [given('a', { reward: 0 }), given('b', { reward: 1 })], notReached: [] },
      'final',
      { state: 'pass', value: 1 },
    ],
    [
      'missing number',
      { reached: [given('a', { x: 1 }), given('b', { reward: 1 })], notReached: [] },
      'mean',
      { state: 'fail', value: 0.5 },
    ],
    [
      'step that was not reached',
      { reached: [given('a', { reward: 1 })], notReached: ['b'] },
      'mean',
      { state: 'fail', value: 1 },
    ],
    [
      'last one that was reached',
      { reached: [given('a', { reward: 1 })], notReached: ['b'] },
      'final',
      { state: 'fail', value: 1 },
    ],
  ])('of steps has the %s', async (_name, stepRewards, steps, expected) => {
    await using work = await createWork();
    const { workspace } = work.context;
    if (!workspace) throw new Error('There is no work directory.');
    const config = { command: 'exit 1', steps };
    expect(await ask(reward, config, { ...work.context, workspace: { ...workspace, stepRewards } })).toMatchObject(
      expected,
    );
  });

  it('of steps is missing where none was verified, or none gave one number', async () => {
    await using work = await createWork();
    const { workspace } = work.context;
    if (!workspace) throw new Error('There is no work directory.');
    const two = { reached: [given('a', { x: 1, y: 1 })], notReached: [] };
    for (const stepRewards of [undefined, { reached: [], notReached: ['a'] }, two]) {
      const context = { ...work.context, workspace: { ...workspace, stepRewards } };
      await expect(ask(reward, { command: 'true', steps: 'mean' }, context)).rejects.toMatchObject({
        code: 'NO_REWARD',
      });
    }
  });

  it('is computed with the variables of the verifier', async () => {
    const command = '[ "$MODE" = strict ] && printf "= short test summary info =\\nPASSED a\\n"';
    const config = { from: 'pytest', env: { MODE: 'strict' } };
    expect(await answer({ command, config })).toMatchObject({ state: 'pass' });
  });
});
