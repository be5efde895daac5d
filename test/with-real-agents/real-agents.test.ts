import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../src/domain/trace.ts';
import {
  type AgentTask,
  billedUsage,
  closingWords,
  commands,
  doTask,
  goOn,
  key,
  prompt,
  recorded,
  refuse,
  runTask,
  wasTold,
} from './agent-task.ts';
import { type InstalledAgent, installedAgents, testModel } from './installed-agents.ts';

const invocations = [
  [['taskmgr', 'add', 'x'], 2],
  [['taskmgr', 'create', '--title', 'Write notes'], 0],
  [['taskmgr', 'list', '--format', 'json'], 0],
];

const told = { 'of all': [2, 0, 0], 'of failures': [2, null, null], 'of none': [null, null, null] };

describe.each(installedAgents())('$name $version', (agent) => {
  it('does the task as every other agent does', async () => {
    const task = await runTask(agent, { script: doTask(agent), by: 'environment' });
    const { trial, trace, exitCode } = task;
    expect(trial.fault).toBeUndefined();
    expect(recorded(trace)).toEqual(invocations);
    expect(trial).toMatchObject({
      outcome: 'pass',
      interaction: { source: 'recorder', total_commands: 3, error_count: 1, completed: true, unrecorded: [] },
    });
    expect(exitCode).toBe(0);
    expectAgreement(agent, task);
    expect(eventsOf(trace, 'message').at(-1)).toMatchObject({ role: 'assistant', text: closingWords });
    expect(eventsOf(trace, 'agent-started')).toMatchObject([{ version: agent.version, model: testModel }]);
    expect(eventsOf(trace, 'agent-ended')).toMatchObject([{ completed: true, exitCode: 0, reason: null }]);
    // The gateway sees the tokens of every agent, whether it reports them or not.
    expect(trial.usage).toMatchObject(billedUsage(task.requests));
    const own = eventsOf(trace, 'usage').filter(({ seenBy }) => seenBy === 'agent');
    expect(own.some(({ inputTokens = 0, outputTokens = 0 }) => inputTokens > 0 && outputTokens > 0)).toBe(
      agent.tellsUsage,
    );
    expect(task.survivors).toEqual([]);
    expectFaithfulRequests(agent, task);
    expect(JSON.stringify(trace) + task.transcript).not.toContain(key);
  });

  it('is not judged when its key is refused', async () => {
    const { trial, exitCode, requests, survivors } = await runTask(agent, { script: refuse, by: 'config' });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'MODEL_UNAUTHORIZED', blame: 'model' } });
    expect(exitCode).toBe(3);
    expect(requests.length).toBeGreaterThan(0);
    expect(survivors).toEqual([]);
  });

  it('is stopped at its limit of turns', async () => {
    const { trial, trace, survivors } = await runTask(agent, { script: goOn(agent), by: 'config', maxTurns: 2 });
    expect(trial).toMatchObject({ outcome: 'fail', interaction: { completed: false } });
    expect(eventsOf(trace, 'agent-ended')).toMatchObject([
      { completed: false, timedOut: false, reason: expect.stringMatching(/turn/) },
    ]);
    const exitCodes = eventsOf(trace, 'command').map(({ exitCode }) => exitCode);
    expect(exitCodes.slice(0, 2)).toEqual([0, 0]);
    // Some agents report a turn only when its command runs already.
    expect(exitCodes.length).toBeLessThanOrEqual(3);
    expect(survivors).toEqual([]);
  });
});

/** What the agent says of its commands is what the recorder saw, as far as it says anything. */
function expectAgreement({ tellsExitCodes }: InstalledAgent, { trial, trace }: AgentTask): void {
  expect(eventsOf(trace, 'tool-call').map(({ shellCommand }) => shellCommand)).toEqual(commands);
  const exitCodes = eventsOf(trace, 'tool-result').map(({ exitCode }) => exitCode);
  expect(exitCodes).toEqual(told[tellsExitCodes]);
  const others = trial.interaction.disagreements as { total_commands: number }[];
  if (tellsExitCodes !== 'of none') expect(others).toEqual([]);
  for (const other of others) expect(other.total_commands).toBe(3);
}

/** The prompt, the model, the key and the MCP server reach the model as they were meant. */
function expectFaithfulRequests({ mcpTools }: InstalledAgent, { requests, trace }: AgentTask): void {
  expect(requests.every(({ hasKey }) => hasKey)).toBe(true);
  const asked = requests.filter(({ conversation }) => (conversation?.tools.length ?? 0) > 0);
  for (const request of asked) {
    expect(request.conversation?.model).toBe(testModel);
    expect(wasTold(request, prompt)).toBe(true);
  }
  const offered = asked.every(({ conversation }) => conversation?.tools.some(({ name }) => name.includes('forecast')));
  expect(offered).toBe(mcpTools === 'offered');
  if (mcpTools === 'on-search') expect(JSON.stringify(trace)).toContain('"name":"weather","status":"connected"');
}
