import { expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** A task folder of Harbor that needs something which Assay does not have. */
const taskWith = (name: string, toml: string) => ({
  [`tasks/${name}/task.toml`]: `schema_version = "1.1"\n[task]\nname = "${name}"\n${toml}\n`,
  [`tasks/${name}/instruction.md`]: 'Work.\n',
  [`tasks/${name}/environment/Dockerfile`]: 'FROM localhost/no-such-image\n',
  [`tasks/${name}/tests/test.sh`]: 'true\n',
});

it('task folders that need what Assay does not have are errors by name, and the others are run', async () => {
  const cwd = await temporaryFolder({
    'assay.config.yaml': 'agent: scripted\nagents: { scripted: { script: agent.yaml } }\n',
    'agent.yaml': 'steps: [echo done]\n',
    ...taskWith('other', '[environment]\nos = "windows"'),
    ...taskWith('gpu', '[environment]\ngpus = 1'),
  });
  const { stdout, stderr } = await assay(['run', 'tasks', '--json', '--no-cache'], { cwd });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  const { trials } = JSON.parse(stdout) as {
    trials: { scenario: string; outcome: string; fault: { message: string } }[];
  };
  const faults = trials.map(({ scenario, outcome, fault }) => [scenario, outcome, fault.message]);
  expect(faults.toSorted()).toEqual([
    ['gpu', 'error', 'The task needs a GPU, which Assay does not have.'],
    ['other', 'error', 'The task needs Windows, which Assay does not have.'],
  ]);
  expect(stderr).toContain('tasks/other/task.toml:5:6: tasks with Windows are not supported');
});
