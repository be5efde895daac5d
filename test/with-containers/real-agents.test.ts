import { beforeAll, describe, expect, it } from 'vitest';
import { eventsOf } from '../../src/domain/trace.ts';
import { containerImage } from '../../src/testing/support/hostile-runs.ts';
import { doTask, recorded, runTask } from '../with-real-agents/agent-task.ts';
import { installedAgents } from '../with-real-agents/installed-agents.ts';
import { makeImage } from './container-image.ts';

const agents = installedAgents();

it.skipIf(agents.length > 0)('real agents are left out: `npm run test:agents -- --install-only` installs them', () => {
  expect(agents).toEqual([]);
});

describe.runIf(agents.length > 0)('in a container', () => {
  beforeAll(() => makeImage(containerImage));

  it.each(agents)('$name $version does the task, and every call is recorded', async (agent) => {
    const { trial, trace } = await runTask(agent, {
      script: doTask(agent),
      by: 'config',
      isolation: 'container',
      image: containerImage,
    });
    expect(trial, JSON.stringify(trial.fault)).toMatchObject({ outcome: 'pass', interaction: { completed: true } });
    expect(recorded(trace)).toHaveLength(3);
    expect(eventsOf(trace, 'agent-started')).toMatchObject([{ isolation: 'container', version: agent.version }]);
  });
});
