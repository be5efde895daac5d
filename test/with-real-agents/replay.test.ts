import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { normalisedTrace } from '../../src/testing/support/normalised-trace.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { doTask, recorded, runTask } from './agent-task.ts';
import { installedAgents } from './installed-agents.ts';

const isReplayed = (trace: Trace): boolean[] => eventsOf(trace, 'model-call').map((call) => call.isReplayed);

describe.each(installedAgents())('a recorded trial of $name $version', (agent) => {
  it('replays without its model to the same trace and the same verdict', async () => {
    const recordings = join(await temporaryFolder(), 'recordings');
    const first = await runTask(agent, { script: doTask(agent), by: 'config', flags: ['--record', recordings] });
    expect(first.trial).toMatchObject({ outcome: 'pass' });
    expect(readdirSync(join(recordings, 'agents'))).toHaveLength(1);
    const again = await runTask(agent, { script: 'stopped', by: 'config', flags: ['--replay', recordings] });
    expect(again.trial.fault).toBeUndefined();
    expect(again.trial).toMatchObject({ outcome: 'pass', costUsd: 0 });
    expect(again.requests).toEqual([]);
    expect(isReplayed(first.trace)).not.toContain(true);
    expect(isReplayed(again.trace)).toEqual(isReplayed(first.trace).map(() => true));
    expect(recorded(again.trace)).toEqual(recorded(first.trace));
    expect(normalisedTrace(again.trace)).toEqual(normalisedTrace(first.trace));
    expect(again.survivors).toEqual([]);
  });
});
