import { AssayError } from '../../../domain/errors.ts';
import type { GraderRequest, ScriptEnd } from '../../../domain/gate.ts';
import type { TraceEventOf } from '../../../domain/trace.ts';
import { shellWord } from '../../../shared/shell-words.ts';
import type { GraderRoom } from '../../workspace/grader-room.ts';
import { howItEnded, isGood, runScript } from '../../workspace/run-script.ts';
import { waitUntilReady } from '../../workspace/wait-until-ready.ts';
import type { AgentRun } from './agent-run.ts';

type Phase = TraceEventOf<'script'>['phase'];

/** Runs a command of the scenario's author where it belongs. */
type Runner = (command: string, request: GraderRequest) => Promise<ScriptEnd>;

/** Runs commands as the trial is set up, when no agent has touched anything yet. */
export function beforeAgent(
  { workspace, trial, system, taped }: AgentRun,
  given: Readonly<Record<string, string>>,
): Runner {
  const env = taped?.forScripts(given) ?? given;
  return (command, request) => {
    const script = { ...request, cwd: workspace.directory, env, tag: `${trial.trialId}-setup` };
    return runScript(command, script, system && ((argv, variables, input) => system.enter(argv, variables, input)));
  };
}

/** How much of a script's output is kept in the trace. */
const longestOutput = 8_192;

/** Runs one script of the scenario's author in the work directory, and emits how it ended. */
export async function runPhase(
  { trace, stop, taped }: AgentRun,
  run: Runner,
  phase: Phase,
  command: string,
  timeoutMs: number,
): Promise<ScriptEnd> {
  const end = await run(command, { timeoutMs, signal: stop.signal });
  const { exitCode, signal, timedOut, durationMs } = end;
  const stdout = excerpt(end.stdout);
  const stderr = excerpt(end.stderr);
  trace.emit({ type: 'script', phase, command, durationMs, exitCode, signal, timedOut, stdout, stderr });
  const fault = taped?.faultAfter(end);
  if (fault) throw fault;
  return end;
}

/** Runs commands out of reach of what the agent left. */
export function inRoom(room: GraderRoom): Runner {
  return (command, request) => room.run(command, request);
}

/** A setup that fails is reported, and the trial goes on: the gates show whether its results are worth anything. */
export async function runSetup(run: AgentRun, env: Readonly<Record<string, string>>): Promise<void> {
  const { timeoutMs } = run.trial.scenario;
  for (const command of run.config.setup) {
    const end = await runPhase(run, beforeAgent(run, env), 'setup', command, timeoutMs);
    if (isGood(end) || run.stop.isStopped) continue;
    const message = `Setup failed, so the results may be invalid: \`${command}\` ${howItEnded(end, timeoutMs)}`;
    run.trace.emit({ type: 'notice', message });
  }
}

/** A tool that is not healthy before the agent starts cannot be judged by the agent's work with it. */
export async function checkHealth(
  run: AgentRun,
  env: Readonly<Record<string, string>>,
  command: string,
): Promise<void> {
  const { timeoutMs } = run.trial.scenario;
  const end = await runPhase(run, beforeAgent(run, env), 'health-check', command, timeoutMs);
  if (isGood(end) || run.stop.isStopped) return;
  throw unhealthy(`The health check \`${command}\``, end, timeoutMs);
}

/** Waits until the container of the task is ready, where the task says when it is. */
export async function readyForAgent(run: AgentRun, readiness = run.config.readiness): Promise<void> {
  if (!readiness) return;
  const check = async (argv: readonly string[], timeoutMs: number): Promise<string | undefined> => {
    const command = argv.map(shellWord).join(' ');
    const end = await beforeAgent(run, run.env.before)(command, { timeoutMs, signal: run.stop.signal });
    return isGood(end) ? undefined : lastLineOf(end);
  };
  await waitUntilReady('The container of the task', readiness, check, run.stop.signal);
}

function lastLineOf({ stdout, stderr }: ScriptEnd): string {
  return (stderr.text || stdout.text).trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}

/** Gates that use a tool which the trial left broken would judge the tool's state and not the agent's work. */
export async function healthFaultAfter(run: AgentRun, room: GraderRoom): Promise<AssayError | undefined> {
  const { healthCheck: command, healthCheckAfter } = run.config.tool ?? {};
  if (!command || !healthCheckAfter || run.stop.isStopped) return undefined;
  const { timeoutMs } = run.trial.scenario;
  const end = await runPhase(run, inRoom(room), 'health-check', command, timeoutMs);
  if (isGood(end) || run.stop.isStopped) return undefined;
  return unhealthy(`After the agent ended, the health check \`${command}\``, end, timeoutMs);
}

function unhealthy(subject: string, end: ScriptEnd, timeoutMs: number): AssayError {
  const output = (end.stderr.text || end.stdout.text).trim().slice(0, 300);
  const message = `${subject} ${howItEnded(end, timeoutMs)}${output ? `: ${output}` : '.'}`;
  return new AssayError('HEALTH_CHECK_FAILED', message);
}

function excerpt({ text, truncatedBytes }: ScriptEnd['stdout']): ScriptEnd['stdout'] {
  if (text.length <= longestOutput) return { text, truncatedBytes };
  return { text: text.slice(0, longestOutput), truncatedBytes: truncatedBytes + text.length - longestOutput };
}
