import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { type LoggedRequest, type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assay } from '../../src/testing/support/assay.ts';
import type { ToolTrial } from '../../src/testing/support/cli-tool-project.ts';
import { processesWith } from '../../src/testing/support/processes.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';
import { environmentWith, type InstalledAgent, testModel } from './installed-agents.ts';

const exampleTool = fileURLToPath(new URL('../../examples/taskmgr/bin/taskmgr', import.meta.url));

/** Hard to pass on whole: it looks like an option, has quotes, a variable and two lines. */
export const prompt = '--note "quoted" and $HOME:\nnotes have to be written, says the `plan`.';
/** What the scripted model has every agent do; the first of them fails. */
export const commands = ['taskmgr add "x"', 'taskmgr create --title "Write notes"', 'taskmgr list --format json'];
export const closingWords = 'The task is there.';
/** Never to be seen in what is kept. */
export const key = 'sk-real-agents-0123456789abcdef';

const perReply = { input: 100, output: 10 };

/** The model of the task: each command follows from what the one before it has printed. */
export function doTask({ shell }: InstalledAgent, [add, create, list] = commands): ScriptSource {
  const tool = shell('').name;
  const run = (command = '') => ({ toolCalls: [shell(command)], usage: perReply });
  return {
    rules: [
      { when: { tool, toolResult: 'unknown command' }, ...run(create) },
      { when: { tool, toolResult: 'created task 1' }, ...run(list) },
      { when: { tool, toolResult: '"Write notes"' }, reply: closingWords, usage: perReply },
      { when: { tool }, times: 1, ...run(add) },
      // Agents also ask for titles and the like.
      { reply: 'OK' },
    ],
  };
}

/** A model that does not come to an end. Each command differs from the last: some agents stop at those that repeat. */
export function goOn({ shell }: InstalledAgent): ScriptSource {
  const tool = shell('').name;
  const commandOf = (turn: number) => ({ when: { tool }, times: 1, toolCalls: [shell(`taskmgr list # ${turn}`)] });
  return { rules: [...Array.from({ length: 200 }, (_, turn) => commandOf(turn)), { reply: 'OK' }] };
}

/** A model that refuses every key. */
export const refuse: ScriptSource = { rules: [{ fault: { status: 401 } }] };

/** At the port of the discard service nothing listens. */
const stoppedModel = {
  url: 'http://127.0.0.1:9',
  environment: {},
  log: (): LoggedRequest[] => [],
  async [Symbol.asyncDispose]() {},
};

interface TaskOptions {
  /** Stopped: nothing answers at the model's address. */
  readonly script: ScriptSource | 'stopped';
  readonly flags?: readonly string[];
  /** How the agent is told where its model is, and with which key. */
  readonly by: 'environment' | 'config';
  readonly isolation?: string;
  /** Of trials in containers. */
  readonly image?: string;
  readonly maxTurns?: number;
  /** Calls that are broken on purpose. */
  readonly faults?: readonly object[];
  /** Plants an instruction in the output of the tool. */
  readonly isAttacked?: boolean;
  readonly acp?: InstalledAgent['acp'];
  /** The tool lies in the project, or it and the MCP server were removed from there; otherwise it is that of the examples. */
  readonly ownTool?: 'there' | 'removed';
  /** Limits of the scenario, and prices of the config. */
  readonly spending?: { readonly cost: object; readonly models: object };
}

/** What came of a task, as a user gets to know it, and what the model was asked. */
export interface AgentTask {
  readonly exitCode: number | null;
  readonly trial: ToolTrial & { readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } };
  readonly trace: Trace;
  readonly requests: readonly LoggedRequest[];
  readonly transcript: string;
  /** Absolute: the files that are kept of the trial. */
  readonly artifacts: string;
  /** Processes of the trial that are still there. */
  readonly survivors: readonly number[];
}

/** Has an agent do the task with the built program. */
export async function runTask(agent: InstalledAgent, options: TaskOptions): Promise<AgentTask> {
  const { script, flags: moreFlags = [] } = options;
  await using model = script === 'stopped' ? stoppedModel : await startScriptedModel(script);
  const config = {
    isolation: options.isolation ?? 'auto',
    ...(options.image !== undefined && { image: options.image }),
    agents: { [agent.name]: settingsOf(agent, options, model.url) },
    ...(options.spending && { models: options.spending.models }),
  };
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'assay.config.yaml': JSON.stringify(config),
    'scenario.yaml': JSON.stringify(scenarioOf(folder, options)),
    ...(options.ownTool !== 'removed' && {
      'weather-server.mjs': await readFile(new URL('./weather-server.mjs', import.meta.url)),
    }),
    ...(options.ownTool === 'there' && {
      taskmgr: await readFile(exampleTool),
      'package.json': '{ "type": "module" }',
    }),
  });
  if (options.ownTool === 'there') await chmod(join(folder, 'taskmgr'), 0o755);
  const reached = options.by === 'environment' ? { ...model.environment, ...keys(model.url) } : {};
  const { ASSAY_CONTAINER_ENGINE: engine } = process.env;
  const env = {
    ...environmentWith(agent),
    ...reached,
    ...(engine !== undefined && { ASSAY_CONTAINER_ENGINE: engine }),
  };
  const flags = [
    '--json',
    '--no-cache',
    '--agent',
    agent.name,
    '--model',
    options.acp?.model ?? testModel,
    ...moreFlags,
  ];
  const attack = ['attack', 'scenario.yaml', '--attacks', 'direct-call', '--places', 'tool-result'];
  const command = options.isAttacked ? attack : ['run', 'scenario.yaml'];
  const run = await assay([...command, ...flags], { cwd: folder, env });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  // The trial without an attack is the first.
  const trial = (JSON.parse(run.stdout).trials as AgentTask['trial'][]).at(-1) as AgentTask['trial'];
  const shown = await assay(['show', trial.trialId, '--json'], { cwd: folder });
  const artifacts = join(folder, '.assay/artifacts', trial.artifacts ?? '');
  return {
    exitCode: run.exitCode,
    trial,
    artifacts,
    trace: JSON.parse(shown.stdout).trace ?? [],
    requests: model.log(),
    transcript: await readFile(join(artifacts, 'transcript.raw.txt'), 'utf8').catch(() => ''),
    survivors: processesWith(trial.trialId),
  };
}

/** What the project's config says of an agent whose model answers at a URL. */
export function settingsOf(
  { basePath, cache, version }: InstalledAgent,
  { by, acp }: Pick<TaskOptions, 'by' | 'acp'>,
  url: string,
): object {
  if (acp) return { kind: 'acp', command: acp.command, env: acp.env(url) };
  const pinned = cache === undefined ? {} : { version };
  return by === 'environment' ? pinned : { ...pinned, baseUrl: `${url}${basePath}`, apiKey: key };
}

/** The names that the agents know for their keys, and the one address that is not every client's. */
function keys(url: string): Record<string, string> {
  const names = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'COPILOT_PROVIDER_API_KEY'];
  return { ...Object.fromEntries(names.map((name) => [name, key])), COPILOT_PROVIDER_BASE_URL: `${url}/v1` };
}

function scenarioOf(folder: string, { maxTurns, faults, ownTool, spending }: TaskOptions): object {
  const binary = ownTool ? join(folder, 'taskmgr') : exampleTool;
  return {
    name: 'Notes',
    description: 'One task about notes',
    target: { binary, command_pattern: 'taskmgr\\s+(\\S+)' },
    task: { prompt },
    ...(spending && { cost: spending.cost }),
    ...(faults && { faults, evaluators: [{ type: 'recovered' }] }),
    mcp_servers: { weather: { command: process.execPath, args: [join(folder, 'weather-server.mjs')] } },
    evaluation: {
      gates: [{ type: 'command_json_path', command: commands[2], path: '$[0].title', assertion: 'equals Write notes' }],
    },
    run: { timeout_secs: 120, ...(maxTurns === undefined ? {} : { max_turns: maxTurns }) },
  };
}

/** Tokens of all replies of the model. */
export function billedUsage(requests: readonly LoggedRequest[]): { inputTokens: number; outputTokens: number } {
  const usage = requests.flatMap(({ reply }) => (reply ? [reply.usage] : []));
  return {
    inputTokens: usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
}

/** The invocations of the tool as the recorder saw them. */
export function recorded(trace: Trace): unknown[] {
  return eventsOf(trace, 'command').map(({ argv, exitCode }) => [argv, exitCode]);
}

/** Whether the model was given a text by the user, among whatever else agents say in the user's name. */
export function wasTold({ conversation }: LoggedRequest, text: string): boolean {
  return conversation?.messages.some(({ role, content }) => role === 'user' && content.includes(text)) ?? false;
}
