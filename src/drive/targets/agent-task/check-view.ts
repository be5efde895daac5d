import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { isInSystem, temporaryFolders } from '../../workspace/bubblewrap-mounts.ts';
import { folderVariables } from '../../workspace/clean-environment.ts';
import type { IsolatedFolders } from '../../workspace/isolated-folders.ts';
import type { Isolation } from '../../workspace/isolation.ts';
import { isInside } from '../../workspace/room-base.ts';
import type { AgentRun } from './agent-run.ts';
import { namesOf } from './agent-view.ts';
import { chooseVisibleFiles, filesInCommand } from './choose-visible-files.ts';
import { entriesOf, neededPlaces } from './needed-places.ts';

type Argv = readonly [string, ...string[]];

/** Much more than a program takes to start: on a busy machine it must not count as one that fails. */
const timeoutMs = 20_000;
/** The search for a hidden place ends where it is after this time. */
const longestSearchMs = 120_000;
const mostTries = 5;

/**
 * Throws where the agent or the tool under test needs files that are hidden from the agent: both are tried in its view
 * before it starts, once in a run for each view.
 */
export async function checkView(run: AgentRun, isolation: Isolation): Promise<void> {
  // In a container they were looked for when it was opened; other tiers hide nothing.
  if (isolation.tier !== 'bubblewrap') return;
  await Promise.all([checkAgent(run, isolation), checkTool(run, isolation)]);
}

const lookScript = 'for program; do [ -e "$program" ] || { echo "$program"; exit 1; }; done';
/** Most programs know one of these, and do nothing else for it. */
const startScript = '"$1" --version || "$1" --help';

async function checkAgent(run: AgentRun, isolation: Isolation): Promise<void> {
  const { agent, env, trial } = run;
  if (agent.kind.isScripted) return;
  const { command } = agent.settings;
  const programs = command === undefined ? [agent.program] : filesInCommand(command, env.before.PATH ?? '');
  const hidden = await onceInView(run, ['/bin/sh', '-c', lookScript, 'sh', ...programs], async (attempt) => {
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
  const attempts: Argv[] = healthCheck
    ? [['/bin/sh', '-c', healthCheck]]
    : [program, ...furtherPrograms].map((path) => ['/bin/sh', '-c', startScript, 'sh', path]);
  for (const argv of attempts) {
    const hidden = await onceInView(run, argv, (attempt) => hiddenNeeds(attempt, isolation));
    if (hidden.length === 0) continue;
    const command = healthCheck ?? `${argv.at(-1)} --version`;
    const message = `The isolation "${isolation.tier}" hides ${hidden.join(' and ')} from the agent, and without that \`${command}\` fails.`;
    throw new AssayError('TARGET_NOT_LOADED', message, { hint: hintFor(hidden) });
  }
}

function hintFor(hidden: readonly string[]): string {
  return `List under \`visible\` of the config what the program needs: \`visible: [${hidden.join(', ')}]\`.`;
}

/** Tries a command in the view of the agent, unless another trial of the run has with the same view. */
function onceInView(
  run: AgentRun,
  argv: Argv,
  look: (attempt: Attempt) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { triedInView } = run.work;
  const attempt = new Attempt(run, argv);
  const { readable, hidden } = attempt.view;
  const key = JSON.stringify([argv, readable, hidden].map((paths) => paths?.map(namesOf(run))));
  const pending = triedInView.get(key) ?? look(attempt);
  triedInView.set(key, pending);
  return pending;
}

/** Places without which a command fails in the view of the agent; empty where it works, or fails with them too. */
async function hiddenNeeds(attempt: Attempt, isolation: Isolation): Promise<readonly string[]> {
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

interface AttemptEnd {
  /** Undefined where the command was ended by a signal or took too long. */
  readonly exitCode: number | undefined;
  readonly printed: string;
  /** False where the isolation itself failed: mounts of other programs may come and go while it is made. */
  readonly isEntered: boolean;
}

/** A command in the view of the agent, with other folders to write: it must not leave anything for the agent. */
class Attempt {
  readonly view: IsolatedFolders;
  readonly #argv: Argv;
  readonly #env: Readonly<Record<string, string>>;

  constructor(run: AgentRun, argv: Argv) {
    const { workspace, room, env } = run;
    const at = (name: string): string => join(room.graderFolder, 'tried', name);
    const own = { directory: at('work'), home: at('home'), tmp: at('tmp') };
    const { readable = [], hidden = [] } = chooseVisibleFiles(run, undefined);
    // A health check may be a script of the project.
    const named = filesInCommand(argv[2] ?? '', env.before.PATH ?? '');
    const ofTrial = [workspace.directory, workspace.home];
    const startsIn = workspace.directory;
    this.#argv = argv;
    this.#env = { ...env.before, ...folderVariables(own) };
    this.view = { ...own, writable: [], readable: [...readable, ...named, ...ofTrial], hidden, startsIn };
  }

  in(isolation: Isolation, view: IsolatedFolders): Promise<AttemptEnd> {
    for (const path of [view.directory, view.home, view.tmp]) mkdirSync(path, { recursive: true, mode: 0o700 });
    const [program, ...args] = isolation.wrap(this.#argv, view);
    const options = { env: this.#env, timeout: timeoutMs, killSignal: 'SIGKILL', cwd: '/' } as const;
    return new Promise((resolve) => {
      const child = execFile(program, args, options, (error, stdout, stderr) => {
        const exitCode = error ? (typeof error.code === 'number' ? error.code : undefined) : 0;
        resolve({ exitCode, printed: stdout.trim(), isEntered: !stderr.startsWith('bwrap: ') });
      });
      child.stdin?.end();
    });
  }
}
