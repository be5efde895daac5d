import type { CommandSource, Interaction } from '../../domain/interaction.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import { counted } from '../../shared/format.ts';
import { subcommandNaming } from './command-pattern.ts';
import { isFromEventsFile } from './events-file.ts';
import { figuresOf } from './figures.ts';
import {
  type CommandReading,
  hadRecorder,
  type ReportedInvocation,
  recordedCommands,
  reportedCommands,
  reportedInvocations,
  reportsShellCommands,
  toolCommands,
} from './observed-commands.ts';
import type { ToolCommand, TrackedTool } from './tool-command.ts';
import { readTranscript, transcriptOf } from './transcript.ts';

type Disagreement = Interaction['disagreements'][number];

const sourceWords: Readonly<Record<CommandSource, string>> = {
  recorder: 'the recorder',
  'agent-events': "the agent's own events",
  'events-file': 'the events file',
  transcript: 'the transcript',
  none: 'nothing',
};

/** The words by which reports name a source of commands. */
export function describeSource(source: CommandSource): string {
  return sourceWords[source];
}

/** Says by how much another source differs from the one that is used; undefined where it does not. */
function disagreementOf(used: CommandReading, other: CommandReading): Disagreement | undefined {
  const [ours, theirs] = [countsOf(used), countsOf(other)];
  const differences = [
    difference(theirs.total_commands - ours.total_commands, 'command'),
    // Others see a failure that Assay injected as an error like any other.
    difference(theirs.error_count - ours.error_count - injectedCount(used), 'error'),
  ].filter((text) => text !== undefined);
  if (differences.length === 0) return undefined;
  const otherCounts = `${counted(theirs.total_commands, 'command')} and ${counted(theirs.error_count, 'error')}`;
  const message = `In ${describeSource(other.source)} there are ${otherCounts}: ${differences.join(' and ')} than ${describeSource(used.source)} saw.`;
  return { source: other.source, ...theirs, message };
}

/** Reports how many commands have an unknown exit code; undefined where all are known. */
function unknownExits(used: CommandReading): Disagreement | undefined {
  const unknown = used.commands.filter(({ result }) => result === 'unknown').length;
  if (unknown === 0) return undefined;
  const counts = countsOf(used);
  const message = `The exit codes of ${unknown} of ${counted(counts.total_commands, 'command')} are unknown to ${describeSource(used.source)}: these commands count neither as errors nor as successes.`;
  return { source: used.source, ...counts, message };
}

/** Something that is wrong with how commands are looked for. */
function patternProblem(used: CommandReading, problem: string): Disagreement {
  const consequence =
    used.source === 'transcript' || used.source === 'none'
      ? 'No commands were looked for in text.'
      : 'There are no figures per subcommand.';
  return { source: used.source, ...countsOf(used), message: `${problem} ${consequence}` };
}

function countsOf({ commands }: CommandReading): Pick<Disagreement, 'total_commands' | 'error_count'> {
  return {
    total_commands: commands.length,
    error_count: commands.filter(({ result }) => result === 'failed').length,
  };
}

function injectedCount({ commands }: CommandReading): number {
  return commands.filter(({ result }) => result === 'injected').length;
}

function difference(by: number, noun: string): string | undefined {
  if (by === 0) return undefined;
  const more = by > 0 ? 'more' : 'fewer';
  return `${Math.abs(by)} ${more} ${Math.abs(by) === 1 ? noun : `${noun}s`}`;
}

/**
 * Command lines that the agent reported and the recorder did not see. Commands that may not have run are left out, and
 * text that the shell expands is compared as far as it is known.
 */
function unrecordedLines(reported: readonly ReportedInvocation[], recordedLines: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of recordedLines) left.set(line, (left.get(line) ?? 0) + 1);
  const unmatched = new Set(inOrderOfTrust(reported).filter((invocation) => !takeMatch(left, invocation)));
  return reported
    .filter((invocation) => invocation.isCertain && unmatched.has(invocation))
    .map(({ writtenLine }) => writtenLine);
}

/** Commands that certainly ran by name take the recorded lines first, which leaves a call by path as the missing one. */
function inOrderOfTrust(reported: readonly ReportedInvocation[]): ReportedInvocation[] {
  const rank = ({ isExact, isCertain, isByPath }: ReportedInvocation): number =>
    (isByPath ? 4 : 0) + (isExact ? 0 : 2) + (isCertain ? 0 : 1);
  return [...reported].sort((a, b) => rank(a) - rank(b));
}

function takeMatch(left: Map<string, number>, { isExact, line, exactPrefix }: ReportedInvocation): boolean {
  const found = isExact ? line : [...left.keys()].find((recorded) => continues(recorded, exactPrefix));
  const count = found === undefined ? 0 : (left.get(found) ?? 0);
  if (found === undefined || count === 0) return false;
  if (count === 1) left.delete(found);
  else left.set(found, count - 1);
  return true;
}

function continues(line: string, prefix: string): boolean {
  return line === prefix || line.startsWith(`${prefix} `);
}

/** The commands that the agent gave to the tool, from the best source that knows of any. */
export function commandsOf(trace: Trace, tool: TrackedTool): readonly ToolCommand[] {
  return bestOf(readAll(trace, tool).readings).commands;
}

/** How well the agent used the tool, with the source that was used and where others disagree with it. */
export function interactionOf(trace: Trace, tool: TrackedTool): Interaction {
  const { readings, reported, problem } = readAll(trace, tool);
  const used = bestOf(readings);
  const { all, subcommands } = figuresOf(used.commands);
  const disagreements = [
    ...readings.filter((reading) => reading !== used).map((reading) => disagreementOf(used, reading)),
    unknownExits(used),
    problem === undefined ? undefined : patternProblem(used, problem),
  ].filter((disagreement) => disagreement !== undefined);
  return {
    source: used.source,
    ...all,
    completed: eventsOf(trace, 'agent-ended').at(-1)?.completed ?? null,
    subcommands,
    unrecorded: hadRecorder(trace) ? unrecordedLines(reported, recordedLines(readings)) : [],
    disagreements,
  };
}

interface Readings {
  /** Of the sources that had anything to look at, best first. */
  readonly readings: readonly CommandReading[];
  readonly reported: readonly ReportedInvocation[];
  readonly problem: string | undefined;
}

function readAll(trace: Trace, tool: TrackedTool): Readings {
  const { nameOf, problem } = subcommandNaming(tool);
  const reported = reportedInvocations(trace, [tool.binary, ...(tool.binaries ?? [])]);
  const readings: CommandReading[] = [];
  if (hadRecorder(trace)) {
    readings.push({ source: 'recorder', commands: toolCommands(recordedCommands(trace), nameOf) });
  }
  const hasShellCommands = reportsShellCommands(trace);
  if (hasShellCommands) {
    const source = isFromEventsFile(trace) ? 'events-file' : 'agent-events';
    readings.push({ source, commands: toolCommands(reportedCommands(reported), nameOf) });
  }
  const text = hasShellCommands ? [] : transcriptOf(trace);
  // An agent that reports its commands in events also writes about them in its text, which would count them again.
  if (text.length > 0) readings.push({ source: 'transcript', commands: readTranscript(text, tool) });
  return { readings, reported, problem };
}

/**
 * A source that saw no command gives way to one that did, because a recorder can be bypassed. It does not give way to
 * mere text, in which an agent may mention commands that never ran.
 */
function bestOf(readings: readonly CommandReading[]): CommandReading {
  const [first] = readings;
  const seeing = readings.find(({ commands }) => commands.length > 0);
  if (first?.source === 'recorder' && seeing?.source === 'transcript') return first;
  return seeing ?? first ?? { source: 'none', commands: [] };
}

function recordedLines(readings: readonly CommandReading[]): string[] {
  const recorded = readings.find(({ source }) => source === 'recorder');
  return recorded?.commands.map(({ line }) => line) ?? [];
}
