import { systemCallsOf, withSettings } from './perl-program.ts';
import program from './stand-in.pl?raw';
import { letters } from './stand-in-letters.ts';

/** Bytes of output, and of standard input, that are recorded of one call. */
export const mostRecordedBytes = 1_048_576;

/** How a stand-in starts the real program. */
export interface RealProgram {
  /** Name under which it is called. */
  readonly name: string;
  /** File that is started; empty for the first of its name on PATH. */
  readonly file: string;
  /** All words up to the arguments: the name that it is started by, or an interpreter with its script. */
  readonly words: readonly string[];
}

/** The program that stands in for all programs under test of a trial; its first argument is the position in the list. */
export function standInProgram(programs: readonly RealProgram[], socket: string, binFolder: string): string {
  return withSettings(program, {
    programs: programs.map(({ name, file, words }) => [name, file, ...words]),
    socket,
    own_folder: binFolder,
    most_recorded: mostRecordedBytes,
    letters,
    calls: systemCallsOf(process.platform, process.arch) ?? {},
  });
}
