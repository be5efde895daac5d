import { AssayError } from '../../../domain/errors.ts';
import type { EmitTrace, TraceEventOf } from '../../../domain/trace.ts';
import { formatDuration } from '../../../shared/format.ts';
import { runScript, type ScriptEnd } from '../../workspace/run-script.ts';
import type { StopRequest } from '../target.ts';

type Phase = TraceEventOf<'script'>['phase'];

/** Where and how the scripts of a scenario's author run. */
export interface PhaseContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly tag: string;
  readonly emit: EmitTrace;
  readonly stop: StopRequest;
}

/** What of a script's output is kept in the trace. */
const longestOutput = 8_192;

/** Runs one script and tells how it went. */
export async function runPhase(
  phase: Phase,
  command: string,
  timeoutMs: number,
  context: PhaseContext,
): Promise<ScriptEnd> {
  const { cwd, env, tag, emit, stop } = context;
  const end = await runScript(command, { cwd, env, timeoutMs, tag: `${tag}-${phase}`, signal: stop.signal });
  const { exitCode, signal, timedOut, durationMs } = end;
  const stdout = excerpt(end.stdout);
  const stderr = excerpt(end.stderr);
  emit({ type: 'script', phase, command, durationMs, exitCode, signal, timedOut, stdout, stderr });
  return end;
}

/** A setup that fails is told, and the trial goes on: its results may be worth nothing, which the gates will show. */
export async function runSetup(commands: readonly string[], timeoutMs: number, context: PhaseContext): Promise<void> {
  for (const command of commands) {
    const end = await runPhase('setup', command, timeoutMs, context);
    if (isGood(end) || context.stop.isStopped) continue;
    const message = `Setup failed, so the results may be invalid: \`${command}\` ${howItEnded(end, timeoutMs)}`;
    context.emit({ type: 'notice', message });
  }
}

/** A tool that is not healthy before the agent starts cannot be judged by what the agent does with it. */
export async function checkHealth(command: string, timeoutMs: number, context: PhaseContext): Promise<void> {
  const end = await runPhase('health-check', command, timeoutMs, context);
  if (isGood(end) || context.stop.isStopped) return;
  const said = (end.stderr.text || end.stdout.text).trim().slice(0, 300);
  const message = `The health check \`${command}\` ${howItEnded(end, timeoutMs)}${said ? `: ${said}` : '.'}`;
  throw new AssayError('HEALTH_CHECK_FAILED', message);
}

function isGood({ exitCode, timedOut }: ScriptEnd): boolean {
  return exitCode === 0 && !timedOut;
}

function howItEnded({ exitCode, signal, timedOut }: ScriptEnd, timeoutMs: number): string {
  if (timedOut) return `did not end within ${formatDuration(timeoutMs)}`;
  return signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
}

function excerpt({ text, truncatedBytes }: ScriptEnd['stdout']): ScriptEnd['stdout'] {
  if (text.length <= longestOutput) return { text, truncatedBytes };
  return { text: text.slice(0, longestOutput), truncatedBytes: truncatedBytes + text.length - longestOutput };
}
