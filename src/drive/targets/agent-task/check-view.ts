import { AssayError } from '../../../domain/errors.ts';
import { isInSystem, temporaryFolders } from '../../workspace/bubblewrap-mounts.ts';
import type { Isolation } from '../../workspace/isolation.ts';
import { isInside } from '../../workspace/room-base.ts';
import type { AgentRun } from './agent-run.ts';
import { namesOf } from './agent-view.ts';
import { filesInCommand } from './choose-visible-files.ts';
import { entriesOf, neededPlaces } from './needed-places.ts';
import { type TriedCommand, ViewAttempt } from './view-attempt.ts';

/** The search for a hidden place ends where it is after this time. */
const longestSearchMs = 120_000;
const mostTries = 5;

/**
 * Throws where the agent, the tool under test or an MCP server needs files that are hidden from the agent: all are tried in
 * its view before it starts, once in a run for each view.
 */
export async function checkView(run: AgentRun, isolation: Isolation): Promise<void> {
  // Other tiers hide nothing.
  if (isolation.tier !== 'bubblewrap' && isolation.tier !== 'container') return;
  // Files of the agent are mounted into its container by name.
  const ofAgent = isolation.openSystem ? undefined : checkAgent(run, isolation);
  await Promise.all([ofAgent, checkTool(run, isolation), checkServers(run, isolation)]);
}

const lookScript = 'for program; do [ -e "$program" ] || { echo "$program"; exit 1; }; done';
/** Most programs know one of these, and do nothing else for it. */
const startScript = '"$1" --version || "$1" --help';

async function checkAgent(run: AgentRun, isolation: Isolation): Promise<void> {
  const { agent, env, trial } = run;
  if (agent.kind.isScripted) return;
  const { command } = agent.settings;
  const programs = command === undefined ? [agent.program] : filesInCommand(command, env.before.PATH ?? '');
  const look: TriedCommand = { argv: ['/bin/sh', '-c', lookScript, 'sh', ...programs] };
  const hidden = await onceInView(run, look, async (attempt) => {
    const { exitCode, printed } = await attempt.in(isolation, attempt.view);
    return exitCode === 0 || printed === '' ? [] : [printed];
  });
  if (hidden.length === 0) return;
  const message = `The isolation "${isolation.tier}" hides ${hidden[0]}, which starts the agent "${trial.variant.agent}".`;
  throw new AssayError('AGENT_MISSING', message, { hint: hintFor(hidden) });
}

async function checkTool(run: AgentRun, isolation: Isolation): Promise<void> {
  const { config, program, furtherPrograms } = run;
  if (!config.tool || program === undefined) return;
  const { healthCheck } = config.tool;
  // Programs of an image find there what they need.
  const programs = [program, ...furtherPrograms].filter((path) => !(isolation.openSystem && isInSystem(path)));
  const commands: TriedCommand[] = healthCheck
    ? [{ argv: ['/bin/sh', '-c', healthCheck] }]
    : programs.map((path) => ({ argv: ['/bin/sh', '-c', startScript, 'sh', path] }));
  for (const command of programs.length === 0 ? [] : commands) {
    const hidden = await onceInView(run, command, (attempt) => hiddenNeeds(attempt, isolation));
    if (hidden.length > 0) throw missingPlaces(isolation, hidden, healthCheck ?? `${command.argv.at(-1)} --version`);
  }
}

/** The first request of a client; a server that speaks the protocol answers it, whatever its answer. */
const greeting = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'assay', version: '1' } },
};

async function checkServers(run: AgentRun, isolation: Isolation): Promise<void> {
  const { config, work, taped } = run;
  // A recording answers in place of the servers.
  if (taped?.tape.kind === 'replay') return;
  const node = work.program[0];
  for (const { definition } of Object.values(config.mcpServers)) {
    if (definition.transport !== 'stdio') continue;
    const { command, args = [], env = {}, cwd } = definition;
    const dialogue = {
      input: `${JSON.stringify(greeting)}\n`,
      isAnswer: (printed: string) => /^\s*\{.*"jsonrpc"/m.test(printed),
    };
    // The proxy in front of a server starts it in the same way.
    const tried: TriedCommand = { argv: [command === 'node' ? node : command, ...args], env, cwd, dialogue };
    const hidden = await onceInView(run, tried, (attempt) => hiddenNeeds(attempt, isolation));
    if (hidden.length > 0) throw missingPlaces(isolation, hidden, [command, ...args].join(' '));
  }
}

function missingPlaces({ tier }: Isolation, hidden: readonly string[], command: string): AssayError {
  const message = `The isolation "${tier}" hides ${hidden.join(' and ')} from the agent, and without that \`${command}\` fails.`;
  return new AssayError('TARGET_NOT_LOADED', message, { hint: hintFor(hidden) });
}

function hintFor(hidden: readonly string[]): string {
  return `List under \`visible\` of the config what the program needs: \`visible: [${hidden.join(', ')}]\`.`;
}

/** Tries a command in the view of the agent, unless another trial of the run has with the same view. */
function onceInView(
  run: AgentRun,
  command: TriedCommand,
  look: (attempt: ViewAttempt) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { triedInView } = run.work;
  const attempt = new ViewAttempt(run, command);
  const { readable, hidden } = attempt.view;
  const { argv, env, cwd } = command;
  const paths = [argv, readable, hidden, cwd === undefined ? [] : [cwd]].map((list) => list?.map(namesOf(run)));
  const key = JSON.stringify([paths, env]);
  const pending = triedInView.get(key) ?? look(attempt);
  triedInView.set(key, pending);
  return pending;
}

/** Places without which a command fails in the view of the agent; empty where it works, or fails with them too. */
async function hiddenNeeds(attempt: ViewAttempt, isolation: Isolation): Promise<readonly string[]> {
  const { readable = [], hidden = [] } = attempt.view;
  const endsAt = Date.now() + longestSearchMs;
  const works = async (places: readonly string[]): Promise<boolean> => {
    if (Date.now() > endsAt) return false;
    const stillHidden = hidden.filter((path) => !places.some((place) => isInside(path, place)));
    const added = places.flatMap(besideTemporaryFolders);
    const view = { ...attempt.view, readable: [...readable, ...added], hidden: stillHidden };
    for (let tries = 0; tries < mostTries; tries++) {
      const { exitCode, isEntered } = await attempt.in(isolation, view);
      if (exitCode === 0 || isEntered) return exitCode === 0;
    }
    return false;
  };
  return (await works([])) || !(await works(['/'])) ? [] : neededPlaces(works);
}

/** A place, or its entries where a temporary folder is in it, which is left out: the trial has its own in place of that. */
function besideTemporaryFolders(place: string): string[] {
  if (!temporaryFolders.some((folder) => isInside(folder, place))) return [place];
  const entries = entriesOf(place).filter((entry) => !temporaryFolders.includes(entry) && !isInSystem(entry));
  return entries.flatMap(besideTemporaryFolders);
}
