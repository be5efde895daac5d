import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../src/domain/trace.ts';
import { IsolationProbes } from '../../src/drive/workspace/find-isolation.ts';
import { doTask, recorded, runTask } from './agent-task.ts';
import { installedAgents } from './installed-agents.ts';

const probes = new IsolationProbes();
const tiers = await Promise.all(
  (['bubblewrap', 'process', 'none'] as const).map(async (tier) => ({
    tier,
    works: 'isolation' in (await probes.probe(tier)),
  })),
);

describe.each(installedAgents().slice(0, 2))('$name', (agent) => {
  for (const { tier, works } of tiers) {
    it.skipIf(!works)(`works in the isolation ${tier}`, async () => {
      const { trial, trace, survivors } = await runTask(agent, {
        script: doTask(agent),
        by: 'config',
        isolation: tier,
      });
      expect(trial, JSON.stringify(trial.fault)).toMatchObject({
        outcome: 'pass',
        interaction: { source: 'recorder', completed: true },
      });
      expect(recorded(trace)).toHaveLength(3);
      expect(eventsOf(trace, 'agent-started')).toMatchObject([{ isolation: tier }]);
      expect(survivors).toEqual([]);
    });
  }
});
