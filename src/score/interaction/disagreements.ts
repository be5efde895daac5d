import type { CommandSource, Interaction } from '../../domain/interaction.ts';
import { counted } from '../../shared/format.ts';
import type { CommandReading } from './command-reading.ts';

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
export function disagreementOf(used: CommandReading, other: CommandReading): Disagreement | undefined {
  const [ours, theirs] = [countsOf(used), countsOf(other)];
  const differences = [
    difference(theirs.total_commands - ours.total_commands, 'command'),
    difference(theirs.error_count - ours.error_count, 'error'),
  ].filter((text) => text !== undefined);
  if (differences.length === 0) return undefined;
  const seen = `${counted(theirs.total_commands, 'command')} and ${counted(theirs.error_count, 'error')}`;
  const message = `In ${describeSource(other.source)} there are ${seen}: ${differences.join(' and ')} than ${describeSource(used.source)} saw.`;
  return { source: other.source, ...theirs, message };
}

/** Says how many commands ended nobody knows how; undefined where all are known. */
export function unknownExits(used: CommandReading): Disagreement | undefined {
  const unknown = used.commands.filter(({ result }) => result === 'unknown').length;
  if (unknown === 0) return undefined;
  const counts = countsOf(used);
  const message = `How ${unknown} of ${counted(counts.total_commands, 'command')} ended is not known from ${describeSource(used.source)}: they count neither as errors nor as successes.`;
  return { source: used.source, ...counts, message };
}

/** Something that is wrong with how commands are looked for. */
export function patternProblem(used: CommandReading, problem: string): Disagreement {
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

function difference(by: number, noun: string): string | undefined {
  if (by === 0) return undefined;
  const more = by > 0 ? 'more' : 'fewer';
  return `${Math.abs(by)} ${more} ${Math.abs(by) === 1 ? noun : `${noun}s`}`;
}
