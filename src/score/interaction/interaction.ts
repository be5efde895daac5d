import type { Interaction } from '../../domain/interaction.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import { type ToldInvocation, toldCommands, toldInvocations, toldOfShell } from './agent-commands.ts';
import { type CommandReading, toolCommands } from './command-reading.ts';
import { disagreementOf, patternProblem, unknownExits } from './disagreements.ts';
import { isFromEventsFile } from './events-file.ts';
import { figuresOf } from './figures.ts';
import { hadRecorder, recordedCommands } from './recorded-commands.ts';
import { subcommandNaming } from './subcommand.ts';
import type { ToolCommand, TrackedTool } from './tool-command.ts';
import { readTranscript, transcriptOf } from './transcript.ts';
import { unrecordedLines } from './unrecorded.ts';

/** The commands that the agent gave to the tool, from the best source that knows of any. */
export function commandsOf(trace: Trace, tool: TrackedTool): readonly ToolCommand[] {
  return bestOf(readAll(trace, tool).readings).commands;
}

/** How well the agent used the tool, with the source that was used and where others disagree with it. */
export function interactionOf(trace: Trace, tool: TrackedTool): Interaction {
  const { readings, told, problem } = readAll(trace, tool);
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
    unrecorded: hadRecorder(trace) ? unrecordedLines(told, recordedLines(readings)) : [],
    disagreements,
  };
}

interface Readings {
  /** Of the sources that had anything to look at, best first. */
  readonly readings: readonly CommandReading[];
  readonly told: readonly ToldInvocation[];
  readonly problem: string | undefined;
}

function readAll(trace: Trace, tool: TrackedTool): Readings {
  const { nameOf, problem } = subcommandNaming(tool);
  const told = toldInvocations(trace, tool.binary);
  const readings: CommandReading[] = [];
  if (hadRecorder(trace)) {
    readings.push({ source: 'recorder', commands: toolCommands(recordedCommands(trace), nameOf) });
  }
  const isTold = toldOfShell(trace);
  if (isTold) {
    const source = isFromEventsFile(trace) ? 'events-file' : 'agent-events';
    readings.push({ source, commands: toolCommands(toldCommands(told), nameOf) });
  }
  const text = isTold ? [] : transcriptOf(trace);
  // An agent that tells of its commands in events writes about them in its text, which would count them again.
  if (text.length > 0) readings.push({ source: 'transcript', commands: readTranscript(text, tool) });
  return { readings, told, problem };
}

/**
 * A source that saw no command gives way to one that did, because a recorder can be gone round. It does not give way to
 * mere text, in which an agent may write of commands that nobody gave.
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
