import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../src/domain/trace.ts';
import { billedUsage, doTask, key, runTask } from './agent-task.ts';
import { installedAgents, testModel } from './installed-agents.ts';

describe.each(installedAgents())('$name $version through the gateway', (agent) => {
  it('has every call and every token of its provider in the trace', async () => {
    const { trial, trace, requests } = await runTask(agent, { script: doTask(agent), by: 'config' });
    expect(trial).toMatchObject({ outcome: 'pass' });
    const replies = requests.flatMap(({ reply }) => (reply ? [reply.usage] : []));
    const calls = eventsOf(trace, 'model-call');
    expect(calls.map(({ status, error }) => [status, error])).toEqual(replies.map(() => [200, undefined]));
    const usage = eventsOf(trace, 'usage').filter(({ seenBy }) => seenBy === 'gateway');
    expect(usage).toHaveLength(replies.length);
    expect(trial.usage).toMatchObject(billedUsage(requests));
    expect(calls.every(({ timeToFirstTokenMs }) => timeToFirstTokenMs !== undefined)).toBe(true);
    // The calls that offer the shell are one conversation.
    const shell = agent.shell('').name;
    const working = calls.filter(({ tools }) => tools.includes(shell));
    expect(working.length).toBeGreaterThanOrEqual(4);
    // Agents use other models for titles and the like.
    expect(working.filter(({ model }) => model !== testModel)).toEqual([]);
    expect(new Set(working.map(({ agentThread }) => agentThread)).size).toBe(1);
    expect(JSON.stringify(trace)).not.toContain(key);
  });
});
