import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IsolationTier } from '../../domain/isolation-tier.ts';
import type { Trace } from '../../domain/trace.ts';
import { assayInProcess as assay } from './assay-in-process.ts';
import { onlyTrial, runTool, type ToolTrial, toolProject, toolScenario } from './cli-tool-project.ts';
import { serve } from './http-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The image of trials in containers; it has a shell, some of the usual programs, and Node.js. */
export const containerImage = 'localhost/assay-tests:latest';

/** Trials, trace and files of a run whose agent was hostile. */
export interface Attacked {
  readonly folder: string;
  readonly trials: readonly ToolTrial[];
  /** Of the first trial. */
  readonly trial: ToolTrial;
  readonly trace: Trace;
  /** A file of the work directory of a trial; empty where there is none. */
  left(name: string, trial?: ToolTrial): string;
}

export async function attacked(folder: string, trials: readonly ToolTrial[]): Promise<Attacked> {
  const [trial] = trials;
  if (!trial) throw new Error('There is no trial.');
  const printed = await assay(['show', trial.trialId, '--json'], { cwd: folder });
  const left = (name: string, of = trial): string => {
    const file = join(folder, '.assay/artifacts', of.artifacts ?? '', 'fixture', name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  return { folder, trials, trial, trace: JSON.parse(printed.stdout).trace, left };
}

interface ShellAttack {
  readonly tier: IsolationTier;
  readonly script: string;
  /** By default one that holds when the script came to its end. */
  readonly gates?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** By default `my-tool`. */
  readonly binary?: string;
  /** A folder in HOME in which the tool keeps its data. */
  readonly state?: string;
  /** Further sections of the scenario. */
  readonly more?: string;
}

const ended = '[{ type: file_exists, path: ended }]';

/** A project whose agent runs a shell script. */
export const shellProject = ({ tier, script, gates = ended, files = {}, ...given }: ShellAttack): Promise<string> =>
  toolProject({
    scenario: toolScenario(
      gates,
      `isolation: ${tier}\n${tier === 'container' ? `image: ${containerImage}\n` : ''}${given.more ?? ''}`,
    ).replace(
      'binary: my-tool',
      `binary: ${given.binary ?? 'my-tool'}${given.state === undefined ? '' : `\n  state: [${given.state}]`}`,
    ),
    script: JSON.stringify({ steps: ['sh agent.sh'] }),
    files: { 'template/agent.sh': `${script}\ntouch ended\n`, ...files },
  });

export async function runShell(attack: ShellAttack): Promise<Attacked> {
  const folder = await shellProject(attack);
  return attacked(folder, [onlyTrial(await runTool(folder))]);
}

/** An agent with a model behind the gateway, as a program for Node.js. */
export async function runNode(
  tier: IsolationTier,
  program: string,
  modelUrl: string,
  { network = 'open', env = {}, repeat = 1 }: { network?: string; env?: Record<string, string>; repeat?: number } = {},
): Promise<Attacked> {
  const agent = await temporaryFolder({ 'agent.mjs': program });
  const command = `${process.execPath} ${agent}/agent.mjs`;
  const provider = { baseUrl: `${modelUrl}/v1`, apiKey: 'sk-of-the-test-0123456789' };
  const folder = await temporaryFolder({
    'assay.config.yaml': JSON.stringify({
      isolation: tier,
      ...(tier === 'container' ? { image: containerImage } : {}),
      agents: { mine: { command, format: 'text', ...provider } },
    }),
    'scenario.yaml': JSON.stringify({
      name: 'Attack',
      target: { binary: 'true', env },
      network,
      task: { prompt: 'Work.' },
      evaluation: { gates: [{ type: 'file_exists', path: 'ended.json' }] },
    }),
  });
  const flags = ['--json', '--no-cache', '--agent', 'mine', '--model', 'm', '--repeat', String(repeat)];
  const run = await assay(['run', 'scenario.yaml', ...flags, '--concurrency', '2'], { cwd: folder });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  return attacked(folder, JSON.parse(run.stdout).trials);
}

const hello = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** A model that answers every request at once. */
export const answering = (onRequest: () => void = () => undefined) =>
  serve((request, response) => {
    onRequest();
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(hello));
  });

/** A model that begins an answer and never ends it. */
export const stalling = () =>
  serve((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
  });

/** The beginning of an agent's program: sends a request to a gateway. */
export const chat = `
const { ASSAY_BASE_URL: url, ASSAY_API_KEY: key } = process.env;
const chat = (base, placeholder, stream = false) => fetch(base + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + placeholder, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'Hello' }] }),
});
`;
