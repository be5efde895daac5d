import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import type { ScriptSource } from '../../src/drive/models/scripted/index.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { closingWords, commands, runTask } from './agent-task.ts';
import { type InstalledAgent, installedAgents } from './installed-agents.ts';

const [, create = ''] = commands;

/** Agents put the name of the server before that of the tool, each in its own way. */
const forecastNames = [
  'mcp__weather__forecast',
  'mcp_weather_forecast',
  'weather__forecast',
  'weather_forecast',
  'weather-forecast',
  'forecast',
];

/** Calls the program, and then the tool of the server. */
function useBoth({ shell }: InstalledAgent): ScriptSource {
  const tool = shell('').name;
  return {
    rules: [
      { when: { tool, toolResult: 'sunny in Oslo' }, reply: closingWords },
      ...forecastNames.map((name) => ({
        when: { tool: name, toolResult: 'created task 1' },
        toolCalls: [{ name, input: { city: 'Oslo' } }],
      })),
      { when: { tool }, times: 1, toolCalls: [shell(create)] },
      { reply: 'OK' },
    ],
  };
}

/** Answers of the tools as the recorder and the proxy saw them. */
function answersIn(trace: Trace): unknown[] {
  const ofServer = eventsOf(trace, 'tool-result').filter(({ seenBy }) => seenBy === 'recorder');
  return [
    ...eventsOf(trace, 'command').map(({ argv, exitCode, stdout }) => [argv, exitCode, stdout?.text]),
    ...ofServer.map(({ result, error }) => [result, error]),
  ];
}

describe.each(installedAgents())('recorded tools of $name $version', (agent) => {
  // Agents that offer no tools of servers at first do not call this one.
  const itWithServer = it.skipIf(agent.mcpTools !== 'offered');
  itWithServer('answer without the program and without the server, to the same verdict', async () => {
    const recordings = join(await temporaryFolder(), 'rec');
    const task = { script: useBoth(agent), by: 'config' } as const;
    const live = await runTask(agent, { ...task, flags: ['--record-tools', recordings], ownTool: 'there' });
    expect(live.trial).toMatchObject({ outcome: 'pass' });
    expect(answersIn(live.trace)).toHaveLength(2);
    const again = await runTask(agent, { ...task, flags: ['--replay-tools', recordings], ownTool: 'removed' });
    expect(again.trial).toMatchObject({ outcome: 'pass', control: { replay: 2 } });
    expect(answersIn(again.trace)).toEqual(answersIn(live.trace));
    expect(again.survivors).toEqual([]);
  });
});
