import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { type LoggedRequest, type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assay } from '../../src/testing/support/assay.ts';
import type { ToolTrial } from '../../src/testing/support/cli-tool-project.ts';
import { processesWith } from '../../src/testing/support/processes.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';
import { key, settingsOf } from './agent-task.ts';
import { environmentWith, type InstalledAgent, installedAgents, testModel } from './installed-agents.ts';

const workflow = {
  name: 'Weather',
  steps: [{ user: 'How is the weather in Oslo?' }, { user: 'And in Lima?', expectedState: 'sunny in Lima' }],
  expectTools: ['forecast', 'forecast'],
  order: 'exact',
};

interface WorkflowTask {
  readonly trial: ToolTrial & { readonly workflow: readonly { readonly metric: string; readonly passed: boolean }[] };
  readonly trace: Trace;
  readonly requests: readonly LoggedRequest[];
  /** What the server says that it was asked. */
  readonly serverCalls: readonly unknown[];
  readonly survivors: readonly number[];
}

/** Has an agent drive the workflow with the built program. */
async function drive(agent: InstalledAgent, script: ScriptSource, wordings: object = {}): Promise<WorkflowTask> {
  await using model = await startScriptedModel(script);
  const config = { agents: { [agent.name]: settingsOf(agent, { by: 'config' }, model.url) } };
  const server = { transport: 'stdio', command: 'node', args: ['weather-server.mjs'] };
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'assay.config.yaml': JSON.stringify(config),
    'mcp.json': JSON.stringify({ server, workflows: [workflow], wordings }),
    'weather-server.mjs': await readFile(new URL('./weather-server.mjs', import.meta.url)),
  });
  const flags = ['--json', '--no-cache', '--agent', agent.name, '--model', testModel, '--timeout-secs', '120'];
  const env = environmentWith(agent);
  const run = await assay(['run', 'mcp.json', ...flags], { cwd: folder, env });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  const trial = (JSON.parse(run.stdout).trials as WorkflowTask['trial'][]).at(-1);
  if (!trial) throw new Error('There is no trial.');
  const shown = await assay(['show', trial.trialId, '--json'], { cwd: folder });
  const log = join(folder, '.assay/artifacts', trial.artifacts ?? '', 'home/weather.log');
  return {
    trial,
    trace: JSON.parse(shown.stdout).trace ?? [],
    requests: model.log(),
    serverCalls: (await readFile(log, 'utf8').catch(() => ''))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
    survivors: processesWith(trial.trialId),
  };
}

/** Agents put the name of the server before that of the tool, each in its own way. */
async function offeredName(agent: InstalledAgent, tool: string, wordings: object = {}): Promise<string> {
  const { requests, trial } = await drive(agent, { rules: [{ reply: 'OK' }] }, wordings);
  const names = requests.flatMap(({ conversation }) => conversation?.tools.map(({ name }) => name) ?? []);
  const name = names.findLast((offered) => offered.includes(tool));
  if (name === undefined) throw new Error(`${tool} is not among ${names.join(', ')} (${trial.reason})`);
  return name;
}

function askTwice(tool: string): ScriptSource {
  return {
    rules: [
      { when: { tool, toolResult: 'sunny in Oslo' }, toolCalls: [{ name: tool, input: { city: 'Lima' } }] },
      { when: { tool, toolResult: 'sunny in Lima' }, reply: 'The sun shines in both.' },
      { when: { tool }, times: 1, toolCalls: [{ name: tool, input: { city: 'Oslo' } }] },
      { reply: 'OK' },
    ],
  };
}

function recordedCalls(trace: Trace): unknown[] {
  const calls = eventsOf(trace, 'tool-call').filter(({ seenBy }) => seenBy === 'recorder');
  return calls.map(({ tool, input }) => ({ tool, input }));
}

const expectedCalls = [
  { tool: 'forecast', input: { city: 'Oslo' } },
  { tool: 'forecast', input: { city: 'Lima' } },
];

describe.each(installedAgents())('$name $version with an MCP server', (agent) => {
  const canCall = agent.mcpTools === 'offered';

  it.skipIf(!canCall)('has on record what the server was asked', async () => {
    const task = await drive(agent, askTwice(await offeredName(agent, 'forecast')));
    expect(task.trial.fault).toBeUndefined();
    expect(task.serverCalls).toEqual(expectedCalls);
    expect(recordedCalls(task.trace)).toEqual(task.serverCalls);
    expect(task.trial).toMatchObject({
      outcome: 'pass',
      workflow: [{ passed: true }, { passed: true }, { passed: true }],
    });
    expect(eventsOf(task.trace, 'mcp-server')).toMatchObject([{ name: 'weather', tools: [{ name: 'forecast' }] }]);
    expect(eventsOf(task.trace, 'agent-ended')).toMatchObject([{ completed: true }]);
    expect(JSON.stringify(task.trace)).not.toContain(key);
    expect(task.survivors).toEqual([]);
  });

  it.skipIf(!canCall)('uses tools in another wording', async () => {
    const wordings = { plain: { forecast: { name: 'weather_report', description: 'how the weather will be' } } };
    const name = await offeredName(agent, 'weather_report', wordings);
    const { trial, trace, serverCalls } = await drive(agent, askTwice(name), wordings);
    expect(trial).toMatchObject({ outcome: 'pass', variant: { description: 'plain' } });
    expect(serverCalls).toEqual(expectedCalls);
    expect(recordedCalls(trace)).toEqual(serverCalls);
  });

  it.skipIf(agent.mcpTools !== 'nowhere')('cannot drive a workflow', async () => {
    const { trial } = await drive(agent, { rules: [{ reply: 'OK' }] });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'AGENT_FAILED', blame: 'agent' } });
    expect(trial.reason).toContain('never started the MCP server');
  });
});
