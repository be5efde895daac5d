import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { taggedEnvironment } from '../../shared/processes/process-tree.ts';
import { type ProcessExit, superviseProcess } from '../../shared/processes/run-process.ts';
import type { AgentExit, AgentLaunch, AgentProcess } from '../agents/agent.ts';
import { AgentOutput } from './agent-output.ts';
import type { AgentTerminal } from './agent-terminal.ts';
import { heldPipes, heldProcess, heldStdio, releaseProcess } from './held-process.ts';
import type { IsolatedFolders } from './isolated-folders.ts';
import { exitOf, type Isolation, type TrialSystem } from './isolation.ts';
import type { Transcript } from './transcript.ts';

/** Where and how an agent's processes run. */
export interface AgentSurroundings {
  /** The clean environment; what the launch adds comes on top. */
  readonly env: Readonly<Record<string, string>>;
  readonly folders: IsolatedFolders;
  readonly isolation: Isolation;
  /** The system of the trial, whose network is ready; undefined: this machine. */
  readonly system?: TrialSystem | undefined;
  /** Undefined: that of the machine. */
  readonly network?: { enter(pid: number): Promise<unknown> } | undefined;
  /** Unique to this process: it identifies every process that the agent starts. */
  readonly tag: string;
  readonly transcript: Transcript;
  /** Undefined: the agent gets pipes, as always in a separate system. */
  readonly terminal?: AgentTerminal | undefined;
  /** Aborted when the time of the trial is up. */
  readonly deadline: AbortSignal;
  /** Aborted when the trial is cancelled. */
  readonly interrupt: AbortSignal;
  /** Called when everything that the process left running begins to be ended; returns what to call when it is ended. */
  readonly onEnding?: (cause: 'end-of-trial' | 'stopped-trial') => () => void;
  /** Called where output was left out, with the reason. */
  readonly onLoss: (reason: string) => void;
}

type Environment = Readonly<Record<string, string>>;

/** A command with its environment. */
interface Launched {
  readonly argv: AgentLaunch['argv'];
  readonly env: Environment;
}

/** Exit code of a shell for a command that it could not start. */
const notStartedExitCode = 127;

/**
 * Starts a process of the agent that leads its own process group. However it ends, all processes that it started end
 * with it; a daemon that keeps its output open is not waited for. All output is read, and kept within bounds.
 * A program that cannot be started ends as in a shell: with a line on stderr and exit code 127.
 */
export function startAgentProcess(launch: AgentLaunch, surroundings: AgentSurroundings): AgentProcess {
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  const started = spawnAgent(launch, surroundings);
  if (started instanceof Error) return neverStarted(launch, surroundings, started);
  const { child } = started;
  const { stdin } = child;
  // A program may end without reading its input; that is not an error of ours.
  stdin.on('error', () => undefined);
  // Nothing is typed into a terminal, and its host ends when its input does.
  if (launch.stdin !== 'open' && !surroundings.terminal) stdin.end(launch.stdin);
  return {
    write(text) {
      if (stdin.writable) stdin.write(text);
    },
    closeInput() {
      stdin.end();
    },
    stop,
    ended: attend(started, launch, surroundings, ending),
  };
}

/** A process, and how it is let go where it waits for that. */
interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly held?: { pid(): Promise<number>; release(): void };
}

/** An error where the arguments or the environment are more than the system takes. */
function spawnAgent(launch: AgentLaunch, surroundings: AgentSurroundings): Started | Error {
  const { env, folders, isolation, tag, network, system, terminal } = surroundings;
  const environment = taggedEnvironment({ ...env, ...launch.env }, tag) as Record<string, string>;
  const { directory: cwd } = folders;
  const wrap = network ? isolation.wrapOffline : isolation.wrap;
  try {
    if (system) {
      const entry = system.enter(launch.argv, environment, launch.stdin === 'open' ? undefined : launch.stdin);
      const [program, ...rest] = entry.argv;
      // The engine must outlive the processes of the trial, so it does not carry their tag.
      return { child: spawn(program, rest, { cwd, env: taggedEnvironment(entry.env, ''), detached: true }) };
    }
    if (wrap === undefined) return new Error(`isolation "${isolation.tier}" cannot limit the network`);
    const launched = inTerminal(wrap(launch.argv, folders), environment, terminal);
    const [program, ...rest] = launched.argv;
    const options = { cwd, env: launched.env, detached: true };
    if (!network) return { child: spawn(program, rest, options) };
    const child = spawn(program, rest, { ...options, stdio: [...heldStdio] }) as ChildProcessWithoutNullStreams;
    return { child, held: { pid: () => heldProcess(child), release: () => releaseProcess(child) } };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The host is a Node.js program, which must not take the agent's NODE_OPTIONS for its own. */
function inTerminal(argv: AgentLaunch['argv'], env: Environment, terminal: AgentTerminal | undefined): Launched {
  if (terminal === undefined) return { argv, env };
  const { NODE_OPTIONS: options, ...others } = env;
  const held = options === undefined ? [] : [`--node-options=${options}`];
  return { argv: [...terminal.host, ...held, '--', ...argv], env: others };
}

async function attend(
  started: Started,
  launch: AgentLaunch,
  surroundings: AgentSurroundings,
  ending: AbortController,
): Promise<AgentExit> {
  const { child } = started;
  const { tag, isolation, transcript, deadline, system, terminal } = surroundings;
  const receivers = { onLine: launch.onLine, transcript, terminal, onFailure: () => ending.abort() };
  const output = new AgentOutput(child, receivers);
  const forget = endWith(ending, surroundings);
  const endingIsOver = watchEnding(child, ending.signal, surroundings.onEnding);
  try {
    const entered = letGo(started, surroundings, ending).catch((error: unknown) => ({ error }));
    const { isNamespaced } = isolation;
    const exitsLast = isNamespaced && system === undefined;
    const supervision = { tag, isNamespaced, signal: ending.signal, endsDaemons: true, exitsLast };
    const exit = await superviseProcess(child, supervision).catch((error: Error) => error);
    if (exit instanceof Error) return notStarted(launch, surroundings, exit);
    const failure = await entered;
    if (failure) throw failure.error;
    for (const loss of output.finish()) surroundings.onLoss(loss);
    return agentExit(
      exit,
      isolation.isNamespaced || terminal !== undefined,
      exit.wasStopped && ending.signal.reason === deadline,
    );
  } finally {
    forget();
    endingIsOver();
  }
}

/** Lets the process go when its network is ready; ends it where that fails, so it never runs with another network. */
async function letGo({ child, held }: Started, { network }: AgentSurroundings, ending: AbortController): Promise<void> {
  if (!held) return;
  try {
    if (network) await network.enter(await held.pid());
    held.release();
  } catch (error) {
    child.stdio[heldPipes.release]?.destroy();
    const wasStopped = ending.signal.aborted;
    ending.abort();
    if (!wasStopped) throw error;
  }
}

/** Announces once that the process has ended or is being stopped; returns what to call when all of it is ended. */
function watchEnding(
  child: ChildProcessWithoutNullStreams,
  stopped: AbortSignal,
  announce: AgentSurroundings['onEnding'],
): () => void {
  let finish: (() => void) | undefined;
  const begin = (): void => {
    finish ??= announce?.(stopped.aborted ? 'stopped-trial' : 'end-of-trial');
  };
  child.once('exit', begin);
  stopped.addEventListener('abort', begin, { once: true });
  if (stopped.aborted) begin();
  return () => finish?.();
}

/** Lets the deadline and the interrupt end the process; whichever comes first is the reason. */
function endWith(ending: AbortController, { deadline, interrupt }: AgentSurroundings): () => void {
  const causes = [deadline, interrupt].map((cause) => ({ cause, end: () => ending.abort(cause) }));
  for (const { cause, end } of causes) {
    cause.addEventListener('abort', end, { once: true });
    if (cause.aborted) end();
  }
  return () => {
    for (const { cause, end } of causes) cause.removeEventListener('abort', end);
  };
}

/** A shell in between reports the signal that ended the agent as an exit code. */
function agentExit({ exitCode, signal }: ProcessExit, isByShell: boolean, timedOut: boolean): AgentExit {
  return { ...(isByShell ? exitOf({ exitCode, signal }) : { exitCode, signal }), timedOut };
}

function neverStarted(launch: AgentLaunch, surroundings: AgentSurroundings, error: Error): AgentProcess {
  const nothing = (): void => undefined;
  // The caller has its process before it hears of it.
  const ended = Promise.resolve().then(() => notStarted(launch, surroundings, error));
  return { write: nothing, closeInput: nothing, stop: nothing, ended };
}

function notStarted({ argv, onLine }: AgentLaunch, { transcript }: AgentSurroundings, error: Error): AgentExit {
  const line = `${argv[0]}: could not be started: ${error.message}`;
  const channel = transcript.channel();
  channel.push(Buffer.from(`${line}\n`));
  onLine(line, 'stderr');
  return { exitCode: notStartedExitCode, signal: null, timedOut: false };
}
