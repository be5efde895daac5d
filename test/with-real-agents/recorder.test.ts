import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../src/domain/trace.ts';
import { IsolationProbes } from '../../src/drive/workspace/find-isolation.ts';
import { doTask, recorded, runTask } from './agent-task.ts';
import { installedAgents } from './installed-agents.ts';

const probes = new IsolationProbes();
const tiers = await Promise.all(
  (['bubblewrap', 'process'] as const).map(async (tier) => ({ tier, probed: await probes.probe(tier) })),
);

/** Ways around a tool that is only found first on PATH; some agents refuse `$(…)`. */
const detours = [
  'command -v taskmgr | xargs readlink -f | xargs -I{} env {} add x',
  'command -v taskmgr | xargs -I{} ln -s {} t; ASSAY_RECORDER=tool ./t create --title "Write notes"',
  "bash -lc 'echo list --format json | xargs taskmgr'",
];

describe.each(installedAgents())('$name $version', (agent) => {
  for (const { tier, probed } of tiers) {
    it.skipIf(!('isolation' in probed && probed.isolation.canCover))(
      `meets the recorder on every way to the tool in the tier ${tier}`,
      async () => {
        const options = { script: doTask(agent, detours), by: 'config', isolation: tier } as const;
        const { trial, trace } = await runTask(agent, options);
        expect(trial.fault).toBeUndefined();
        expect(recorded(trace)).toEqual([
          [['taskmgr', 'add', 'x'], 2],
          [['taskmgr', 'create', '--title', 'Write notes'], 0],
          [['taskmgr', 'list', '--format', 'json'], 0],
        ]);
        expect(eventsOf(trace, 'command').map(({ isNested }) => isNested)).toEqual([false, false, false]);
        const notices = eventsOf(trace, 'notice').filter(({ seenBy }) => seenBy === 'recorder');
        const unused = agent.mcpTools === 'nowhere' ? ['The agent never started the MCP server "weather".'] : [];
        expect(notices.map(({ message }) => message)).toEqual(unused);
        expect(trial.interaction).toMatchObject({ total_commands: 3, error_count: 1, unrecorded: [] });
      },
    );
  }
});
