import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventsOf } from '../../src/domain/trace.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const example = fileURLToPath(new URL('../../examples/task-folders', import.meta.url));
const env = { ASSAY_CONTAINER_ENGINE: process.env.ASSAY_CONTAINER_ENGINE ?? 'podman' };
const task = 'tasks/count-lines';

beforeAll(() => {
  execFileSync(join(example, 'make-base-image.sh'), { env: { ...process.env, ...env }, stdio: 'ignore' });
});

/** The example, with some of its files replaced. */
async function project(changes: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await temporaryFolder();
  cpSync(example, folder, { recursive: true });
  await writeFiles(folder, changes);
  return folder;
}

async function run(changes: Readonly<Record<string, string>> = {}) {
  const cwd = await project(changes);
  const { stdout, stderr } = await assay(['run', task, '--json', '--no-cache'], { cwd, env });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  const [trial] = JSON.parse(stdout).trials;
  const { trace } = JSON.parse((await assay(['show', trial.trialId, '--json'], { cwd })).stdout);
  return { trial, trace };
}

const steps = (...commands: string[]): string => JSON.stringify({ steps: commands });

describe('the task folder of the example', () => {
  it('passes with a reward of 1', async () => {
    const { trial, trace } = await run();
    expect(trial).toMatchObject({ outcome: 'pass', evaluatorResults: [{ type: 'reward', value: 1 }] });
    expect(eventsOf(trace, 'view')).toMatchObject([{ root: 'image', network: 'model-only' }]);
  });

  it('and all others that this machine can have pass, and their solutions prove them', async () => {
    const cwd = await project();
    const { stdout } = await assay(['run', '--json', '--no-cache'], { cwd, env });
    const { trials } = JSON.parse(stdout) as { trials: { outcome: string; fault: { code: string } | null }[] };
    expect(trials.filter(({ outcome }) => outcome === 'pass')).toHaveLength(11);
    expect(trials.find(({ outcome }) => outcome === 'error')?.fault?.code).toBe('TASK_UNSUPPORTED');
    const proven = await assay(['validate', '--prove'], { cwd, env });
    expect(proven).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('no problems') });
  }, 400_000);

  it('fails with a part of the reward, which is its score', async () => {
    const { trial } = await run({ 'agent.yaml': steps('echo 7 > count.txt') });
    expect(trial).toMatchObject({ outcome: 'fail', evaluatorResults: [{ type: 'reward', value: 0.5 }] });
  });

  it('does not take a reward from the agent, and hides tests and solution from it', async () => {
    const forge = 'mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt; echo 1 > /logs/verifier/reward.json';
    const look = '[ -e /tests/test.sh ] || [ -e /solution ] || touch unseen';
    const { trial, trace } = await run({
      'agent.yaml': steps(forge, look, '[ -e unseen ] && echo hidden'),
      [`${task}/tests/test.sh`]:
        '#!/bin/sh\nfound=$(ls /logs/verifier | wc -l)\necho $found > /logs/verifier/reward.txt\n',
    });
    expect(trial).toMatchObject({ outcome: 'fail', evaluatorResults: [{ type: 'reward', value: 0 }] });
    expect(JSON.stringify(eventsOf(trace, 'tool-result'))).toContain('hidden');
  });

  it('is an error without a reward', async () => {
    const { trial } = await run({ [`${task}/tests/test.sh`]: '#!/bin/sh\nexit 0\n' });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'NO_REWARD' } });
  });

  it('is an error before the agent starts where its image cannot be built', async () => {
    const { trial, trace } = await run({ [`${task}/environment/Dockerfile`]: 'FROM localhost/no-such-base:1\n' });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'ISOLATION_UNAVAILABLE' } });
    expect(trial.fault.message).toContain('environment/Dockerfile could not be built');
    expect(eventsOf(trace, 'agent-started')).toEqual([]);
  });
});
