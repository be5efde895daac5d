import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { normalisedTrace } from '../../src/testing/support/normalised-trace.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { type AgentTask, doTask, recorded, runTask } from './agent-task.ts';
import { type InstalledAgent, installedAgents } from './installed-agents.ts';

const tapes = fileURLToPath(new URL('../fixtures/agent-tapes', import.meta.url));
const isReplayed = (trace: Trace): boolean[] => eventsOf(trace, 'model-call').map((call) => call.isReplayed);

async function record(agent: InstalledAgent, folder: string, more: readonly string[] = []): Promise<AgentTask> {
  const flags = ['--record', folder, ...more];
  const task = await runTask(agent, { script: doTask(agent), by: 'config', flags });
  expect(task.trial).toMatchObject({ outcome: 'pass' });
  expect(readdirSync(join(folder, 'agents'))).toHaveLength(1);
  return task;
}

/** Nothing answers at the address of the model. */
async function replay(agent: InstalledAgent, folder: string): Promise<AgentTask> {
  const task = await runTask(agent, { script: 'stopped', by: 'config', flags: ['--replay', folder] });
  expect(task.trial.fault).toBeUndefined();
  expect(task.trial).toMatchObject({ outcome: 'pass', costUsd: 0 });
  expect(isReplayed(task.trace).length).toBeGreaterThanOrEqual(4);
  expect(isReplayed(task.trace)).not.toContain(false);
  expect(task.survivors).toEqual([]);
  return task;
}

describe.each(installedAgents())('a recorded trial of $name $version', (agent) => {
  it('replays without its model to the same trace and the same verdict', async () => {
    const recordings = join(await temporaryFolder(), 'recordings');
    const first = await record(agent, recordings);
    const again = await replay(agent, recordings);
    expect(isReplayed(first.trace)).not.toContain(true);
    expect(recorded(again.trace)).toEqual(recorded(first.trace));
    expect(normalisedTrace(again.trace)).toEqual(normalisedTrace(first.trace));
  });

  it('replays from the recording in this project', async () => {
    const folder = join(tapes, `${agent.name}-${agent.version}`);
    if (process.env.ASSAY_TEST_AGENTS_RECORD) {
      rmSync(folder, { recursive: true, force: true });
      await record(agent, folder, ['--record-digests']);
    }
    const { trace } = await replay(agent, folder);
    expect(recorded(trace)).toEqual([
      [['taskmgr', 'add', 'x'], 2],
      [['taskmgr', 'create', '--title', 'Write notes'], 0],
      [['taskmgr', 'list', '--format', 'json'], 0],
    ]);
  });
});
