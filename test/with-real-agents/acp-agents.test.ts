import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../src/domain/trace.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { closingWords, doTask, prompt, recorded, refuse, runTask, wasTold } from './agent-task.ts';
import { installedAgents } from './installed-agents.ts';

describe.each(installedAgents())('$name $version on the Agent Client Protocol', (agent) => {
  const { acp } = agent;
  // The gateway stands in for addresses that are in variables it knows.
  const goesThroughGateway = Object.keys(acp?.env('') ?? {}).some((name) => name.endsWith('_BASE_URL'));

  it.skipIf(!acp)('does the task', async () => {
    const { trial, trace, requests, survivors } = await runTask(agent, { script: doTask(agent), by: 'config', acp });
    expect(trial.fault).toBeUndefined();
    expect(recorded(trace).map((invocation) => JSON.stringify(invocation))).toEqual([
      '[["taskmgr","add","x"],2]',
      '[["taskmgr","create","--title","Write notes"],0]',
      '[["taskmgr","list","--format","json"],0]',
    ]);
    expect(trial).toMatchObject({ outcome: 'pass', interaction: { source: 'recorder', completed: true } });
    expect(eventsOf(trace, 'message').at(-1)).toMatchObject({ role: 'assistant', text: closingWords });
    expect(eventsOf(trace, 'other').find(({ kind }) => kind === 'agent-info')).toMatchObject({
      data: { version: agent.version },
    });
    expect(requests.some((request) => wasTold(request, prompt))).toBe(true);
    expect(survivors).toEqual([]);
  });

  it.skipIf(!goesThroughGateway)('replays its recording without its model', async () => {
    const recordings = join(await temporaryFolder(), 'recordings');
    const options = { by: 'config', acp } as const;
    const first = await runTask(agent, { ...options, script: doTask(agent), flags: ['--record', recordings] });
    expect(first.trial).toMatchObject({ outcome: 'pass' });
    const again = await runTask(agent, { ...options, script: 'stopped', flags: ['--replay', recordings] });
    expect(again.trial.fault).toBeUndefined();
    expect(again.trial).toMatchObject({ outcome: 'pass', costUsd: 0 });
    expect(recorded(again.trace)).toEqual(recorded(first.trace));
    expect(eventsOf(again.trace, 'model-call').map(({ isReplayed }) => isReplayed)).not.toContain(false);
  });

  it.skipIf(!acp)('is not judged when its key is refused', async () => {
    const { trial, exitCode, survivors } = await runTask(agent, { script: refuse, by: 'config', acp });
    expect(trial).toMatchObject({ outcome: 'error', fault: { blame: 'model' } });
    expect(exitCode).toBe(3);
    expect(survivors).toEqual([]);
  });
});
