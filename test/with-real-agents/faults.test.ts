import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../src/domain/trace.ts';
import type { ScriptSource } from '../../src/drive/models/scripted/index.ts';
import { closingWords, commands, runTask } from './agent-task.ts';
import { type InstalledAgent, installedAgents } from './installed-agents.ts';

const [, create = ''] = commands;
const locked = 'The tasks are locked. Try again.';
const down = 'The forecast is down. Try again.';

const faults = [
  { fault: 'error', args: ['create'], call: 1, message: locked, exitCode: 75 },
  { fault: 'error', border: 'mcp', tool: 'forecast', call: 1, message: down },
  { fault: 'rate-limit', border: 'model', call: 2, retryAfterSecs: 0 },
];

/** Agents put the name of the server before that of the tool, each in its own way. */
const forecastNames = [
  ...['mcp__weather__forecast', 'mcp_weather_forecast', 'weather__forecast'],
  ...['weather_forecast', 'weather-forecast', 'forecast'],
];

/** Repeats each call that an error asks it to repeat. */
function tryAgain({ shell }: InstalledAgent): ScriptSource {
  const tool = shell('').name;
  const run = { toolCalls: [shell(create)] };
  const ask = (name: string) => ({ toolCalls: [{ name, input: { city: 'Oslo' } }] });
  return {
    rules: [
      { when: { tool, toolResult: 'sunny in Oslo' }, reply: closingWords },
      ...forecastNames.flatMap((name) => [
        { when: { tool: name, toolResult: down }, ...ask(name) },
        { when: { tool: name, toolResult: 'created task 1' }, ...ask(name) },
      ]),
      { when: { tool, toolResult: locked }, ...run },
      { when: { tool }, ...run },
      { reply: 'OK' },
    ],
  };
}

/** Only these can be made to call a tool of a server by its name. */
const withServers = installedAgents().filter(({ mcpTools }) => mcpTools === 'offered');

describe.each(withServers)('$name $version', (agent) => {
  it('sees a fault at each border, and recovers', async () => {
    const { trial, trace, requests } = await runTask(agent, { script: tryAgain(agent), by: 'config', faults });
    expect(trial).toMatchObject({ outcome: 'pass' });
    const broken = eventsOf(trace, 'tool-control').map(({ border, fault }) => `${border} ${fault}`);
    expect(new Set(broken)).toEqual(new Set(['cli error', 'mcp error', 'model rate-limit']));
    const results = requests.map(({ conversation }) => conversation?.toolResult ?? '').join('\n');
    expect(results).toContain(locked);
    expect(results).toContain(down);
    const brokenRequests = eventsOf(trace, 'model-call').filter(({ answeredBy }) => answeredBy === 'fault');
    // The first request to each model: some agents use a second one for titles.
    expect(new Set(brokenRequests.map(({ status }) => status))).toEqual(new Set([429]));
    expect(new Set(brokenRequests.map(({ model }) => model)).size).toBe(brokenRequests.length);
  });
});
