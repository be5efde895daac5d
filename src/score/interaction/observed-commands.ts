import { offeredTool, programOf } from '../../domain/attack-outcome/attack-finding.ts';
import type { CommandSource } from '../../domain/interaction.ts';
import { brokenPipeExitCode } from '../../domain/process-end.ts';
import type { Trace, TraceEventOf } from '../../domain/trace.ts';
import { asksForHelp, normalisedLine } from './command-line.ts';
import type { NameSubcommand } from './command-pattern.ts';
import { findInvocations, type ShellInvocation } from './shell/shell-commands.ts';
import type { InferredExit } from './shell/shell-exit.ts';
import type { CommandResult, ToolCommand } from './tool-command.ts';

/** Commands of a trial as one source reports them. */
export interface CommandReading {
  readonly source: CommandSource;
  readonly commands: readonly ToolCommand[];
}

/** One command as a source reports it. */
interface ObservedCommand {
  readonly argv: readonly string[];
  readonly eventIndex: number;
  readonly exitCode: number | null;
  readonly result: CommandResult;
}

/** Commands in the form that all sources share. */
export function toolCommands(observed: readonly ObservedCommand[], nameOf: NameSubcommand): ToolCommand[] {
  return observed.map(({ argv, eventIndex, exitCode, result }, index) => {
    const line = normalisedLine(argv);
    const isHelp = asksForHelp(argv.slice(1));
    const subcommand = nameOf(argv, line);
    return { index, eventIndex, line, subcommand, exitCode, result: isHelp ? 'succeeded' : result, isHelp };
  });
}

/**
 * The commands that the recorder saw the agent give, as exact as it gets. One that a signal ended has failed.
 * Commands that the tool itself started are not the agent's, and a program that an attack offers is not the tool.
 */
export function recordedCommands(trace: Trace): ObservedCommand[] {
  const offered = offeredTool(trace);
  return trace.flatMap((event, eventIndex) => {
    if (event.type !== 'command' || event.isNested) return [];
    const { argv, exitCode } = event;
    if (offered !== undefined && programOf(argv) === offered) return [];
    return [{ argv, eventIndex, exitCode, result: resultOf(event) }];
  });
}

/**
 * A command whose reader had enough, or that served until the agent was done, did what was wanted of it. How a command
 * would have ended that was stopped together with the agent is not known. A failure that Assay answered is not the
 * tool's.
 */
function resultOf({ exitCode, cutShortBy, answeredBy }: TraceEventOf<'command'>): CommandResult {
  if (cutShortBy === 'stopped-trial') return 'unknown';
  if (exitCode === 0 || cutShortBy !== undefined) return 'succeeded';
  return answeredBy === undefined || answeredBy === 'replay' ? 'failed' : 'injected';
}

/** Whether a recorder stood in front of the tool; every trial that has a work directory has one. */
export function hadRecorder(trace: Trace): boolean {
  return trace.some((event) => event.type === 'command' || event.type === 'workspace');
}

/** An invocation that the agent itself reported. */
export interface ReportedInvocation extends ShellInvocation {
  readonly eventIndex: number;
}

/** Whether the agent reported any shell command, of whatever program. */
export function reportsShellCommands(trace: Trace): boolean {
  return trace.some((event) => event.type === 'tool-call' && event.shellCommand !== undefined);
}

/** The invocations of the tool's programs in the shell commands that the agent reported, in order. */
export function reportedInvocations(trace: Trace, binaries: readonly string[]): ReportedInvocation[] {
  const results = new Map<string, TraceEventOf<'tool-result'>>();
  for (const event of trace) if (event.type === 'tool-result') results.set(event.callId, event);
  return trace.flatMap((event, eventIndex) => {
    if (event.type !== 'tool-call' || event.shellCommand === undefined) return [];
    const fate = fateOf(results.get(event.callId));
    const { shellCommand } = event;
    const found = binaries.flatMap((binary) => findInvocations(shellCommand, binary, fate));
    return found.map((invocation) => ({ ...invocation, eventIndex }));
  });
}

/** A call that was refused has an error and no exit code: it failed, and the command need not have run. */
function fateOf(result: TraceEventOf<'tool-result'> | undefined): InferredExit {
  const exitCode = result?.exitCode ?? undefined;
  if (exitCode !== undefined) return { exit: exitCode, isCertain: true };
  return result?.error ? { exit: 'failed', isCertain: false } : { exit: undefined, isCertain: result !== undefined };
}

/** Reported invocations as commands. Each one that is written counts, since the text does not show which of them ran. */
export function reportedCommands(invocations: readonly ReportedInvocation[]): ObservedCommand[] {
  return invocations.map(({ argv, eventIndex, exit }) => {
    const result = exit === undefined ? 'unknown' : endedWell(exit) ? 'succeeded' : 'failed';
    return { argv, eventIndex, exitCode: typeof exit === 'number' ? exit : null, result };
  });
}

/** A command whose reader had read enough did not fail. */
function endedWell(exit: number | 'failed'): boolean {
  return exit === 0 || exit === brokenPipeExitCode;
}
