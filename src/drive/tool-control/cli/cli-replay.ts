import { resolve } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import type { Placed, TapedBytes, TapedFile, TapeLine } from '../../../domain/tape.ts';
import { mostRecordedBytes } from '../../interposer/stand-in.ts';
import { answeredText, argumentsText, comparedCall, missedText, missText } from '../../tape/missed-call.ts';
import { type ComparedCall, type FoundCall, type MissedCall, Player, type TapedCall } from '../../tape/player.ts';
import type { ReplayedTape } from '../../tape/tool-tapes.ts';
import type { CliCall, CliInput, InputRequest } from './cli-call.ts';
import {
  answeredOutput,
  type CliAnswer,
  type CliReply,
  cliAnswer,
  type LeftFile,
  type OutputPiece,
} from './cli-reply.ts';
import { fileDigest } from './given-files.ts';

type RunLine = Placed<Extract<TapeLine, { kind: 'run' }>>;

/** How long a call waits for the end of an input that was empty when it was recorded: it may stay open and silent. */
const idlePatienceSecs = 1;
const unknownInput: CliInput = { bytes: Buffer.alloc(0), ended: false };

/** Calls by which a program describes itself, and changes nothing. */
const readingArguments = ['--help', '--version'];

interface CliReplayOptions {
  readonly tape: ReplayedTape;
  /** Absolute. */
  readonly workDirectory: string;
  /** How the installed program differs from the recorded one; undefined where it does not, or where that is unknown. */
  differenceOf(tool: string, recorded: string | undefined): string | undefined;
}

/** Effect of a recording on a call. */
interface ReplayedRun {
  /** Place of the recorded call. */
  readonly rule: string;
  readonly what: string;
  readonly reply?: CliReply | undefined;
}

/** Answers calls of programs from a recording. */
export class CliReplay {
  readonly #options: CliReplayOptions;
  /** All calls, by which the state that was reached is known. */
  readonly #all: Player<RunLine>;
  /** Calls of the agent, where they are found in another way. */
  readonly #calls: Player<RunLine> | undefined;
  readonly #lines: readonly RunLine[];

  constructor(options: CliReplayOptions) {
    this.#options = options;
    const { lines, rules } = options.tape;
    this.#lines = lines.filter((line) => line.kind === 'run');
    const taped = this.#lines.map(tapedCall);
    const isByState = rules.match === 'state' || rules.match === 'loose';
    this.#all = new Player(taped, isByState ? rules.match : 'loose', rules.miss);
    const ofAgent = taped.filter(({ entry }) => entry.by === undefined);
    this.#calls = isByState ? undefined : new Player(ofAgent, rules.match, rules.miss);
  }

  /** How much of the standard input has to be known before the call can be answered. */
  wantsInput(call: CliCall, known: CliInput | undefined, by?: 'script'): InputRequest | undefined {
    const compared = this.#comparedOf(call);
    const calls = by ? this.#all : (this.#calls ?? this.#all);
    if (!known) {
      // A program that read nothing answers whatever its input is.
      const expected = calls.peek(compared, (line) => line.by === by) ?? this.#alike(compared, by)[0];
      return expected && this.#needed(expected);
    }
    if (known.ended || known.isIdle || calls.peek(compared, (line) => line.by === by && this.#accepts(line, known)))
      return undefined;
    const most = Math.max(0, ...this.#alike(compared, by).map((line) => this.#needed(line)?.bytes ?? 0));
    return most > known.bytes.length ? { bytes: most } : undefined;
  }

  /** How the recording answers a call; without a reply, the real program is to answer. */
  answer(call: CliCall, input: CliInput = unknownInput, by?: 'script'): ReplayedRun {
    const compared = this.#comparedOf(call);
    const accepts = (line: RunLine): boolean =>
      line.by === by && this.#accepts(line, input) && this.#changedFile(line, call) === undefined;
    const inState = this.#all.find(compared, accepts);
    const chosen = by || !this.#calls ? inState : this.#calls.find(compared, accepts);
    const found = chosen.kind === 'miss' ? this.#explained(chosen, call, compared, by) : chosen;
    // A verdict must not rest on a state that the trial has not reached.
    if (by && found.difference !== undefined) return this.#otherState(call, found);
    if (found.kind === 'miss') return this.#missed(call, found);
    const { entry } = found;
    if (entry.unrecorded !== undefined) return this.#missed(call, { ...found, nearest: entry }, entry.unrecorded);
    const what = answeredText(found, reservations(entry, call.isMerged, input));
    return { rule: entry.place, what, reply: this.#answerOf(entry) };
  }

  /** Recorded calls with the same arguments, in any state. */
  #alike({ normalised }: ComparedCall, by: 'script' | undefined): RunLine[] {
    return this.#lines.filter((line) => line.by === by && tapedCall(line).normalised === normalised);
  }

  #comparedOf({ tool, argv, cwd }: Pick<CliCall, 'tool' | 'argv' | 'cwd'>): ComparedCall {
    const { value } = this.#options.tape.words.written([[...argv], cwd]);
    return comparedCall(tool, value);
  }

  #needed({ stdin, masked }: RunLine): InputRequest | undefined {
    if (!stdin) return undefined;
    const { length } = this.#bytes(stdin.content);
    if (length === 0) return { bytes: 1, patienceSecs: idlePatienceSecs };
    // Of a masked secret, the length is not known.
    return { bytes: masked && stdin.ended ? mostRecordedBytes : length + (stdin.ended ? 1 : 0) };
  }

  #accepts({ stdin, masked }: RunLine, input: CliInput): boolean {
    if (!stdin) return true;
    const recorded = this.#bytes(stdin.content);
    if (recorded.length === 0) return input.bytes.length === 0 && (input.ended || input.isIdle === true);
    if (masked && stdin.ended && input.ended) {
      const { words } = this.#options.tape;
      if (words.written(input.bytes.toString('utf8')).value === stdin.content) return true;
    }
    if (!input.bytes.subarray(0, recorded.length).equals(recorded)) return false;
    return !stdin.ended || (input.ended && input.bytes.length === recorded.length);
  }

  /** A file in the arguments that is not as it was in the recording. */
  #changedFile({ given = {} }: RunLine, { cwd }: CliCall): string | undefined {
    const { words } = this.#options.tape;
    const isOther = ([name, digest]: [string, string]): boolean =>
      fileDigest(resolve(cwd, words.read(name)), words) !== digest;
    return Object.entries(given).find(isOther)?.[0];
  }

  /** Names what differs where the same arguments were recorded with another input. */
  #explained(missed: MissedCall<RunLine>, call: CliCall, compared: ComparedCall, by?: 'script'): MissedCall<RunLine> {
    const [alike] = this.#alike(compared, by);
    if (missed.difference !== undefined || !alike) return missed;
    const file = this.#changedFile(alike, call);
    const difference = file === undefined ? 'its standard input was another one' : `${file} had another content`;
    return { ...missed, nearest: alike, difference };
  }

  #bytes(content: TapedBytes): Buffer {
    if (typeof content !== 'string') return Buffer.from(content.base64, 'base64');
    return Buffer.from(this.#options.tape.words.read(content));
  }

  #answerOf({ output = [], exitCode, signal, files = [], stdin }: RunLine): CliAnswer {
    const pieces = output.map(
      (piece): OutputPiece =>
        'stdout' in piece
          ? { channel: 'stdout', bytes: this.#bytes(piece.stdout) }
          : { channel: 'stderr', bytes: this.#bytes(piece.stderr) },
    );
    const left = files.map((file): [string, LeftFile] => [
      resolve(this.#options.workDirectory, this.#options.tape.words.read(file.path)),
      this.#leftFile(file),
    ]);
    const end = exitCode === undefined ? { signal: signal ?? 0 } : { exitCode };
    const taken = stdin ? (stdin.taken ?? this.#bytes(stdin.content).length) : 0;
    return cliAnswer({ ...answeredOutput(pieces), ...end, files: Object.fromEntries(left), taken });
  }

  #leftFile(file: TapedFile): LeftFile {
    if (file.is === 'file') return { is: 'file', mode: file.mode, content: this.#bytes(file.content) };
    return file.is === 'link' ? { is: 'link', to: this.#options.tape.words.read(file.to) } : file;
  }

  #otherState({ tool, argv }: CliCall, found: FoundCall<RunLine> | MissedCall<RunLine>): ReplayedRun {
    const place = (found.kind === 'found' ? found.entry : found.nearest)?.place ?? 'replay';
    const message = `A call of "${tool}" by a script or gate ${missedText(found)}: ${argumentsText(argv)}; it is at ${place}.`;
    const fault = new AssayError('TOOL_REPLAY_MISS', message);
    return { rule: place, what: 'recorded in another state', reply: { kind: 'fault', fault } };
  }

  #missed({ tool, argv }: CliCall, missed: Omit<MissedCall<RunLine>, 'kind'>, unrecorded?: string): ReplayedRun {
    const { rules, lines } = this.#options.tape;
    const { nearest } = missed;
    const place = nearest?.place ?? 'replay';
    const program = lines.find((one) => one.kind === 'program' && one.tool === tool);
    const digest = program?.kind === 'program' ? program.digest : undefined;
    const difference = rules.miss === 'real' ? this.#options.differenceOf(tool, digest) : undefined;
    const ruling = { rule: place, what: missText(difference === undefined ? rules.miss : 'error', 'program') };
    if (rules.miss === 'real' && difference === undefined) return ruling;
    if (rules.miss === 'tool-error') {
      const stderr = Buffer.from(`${tool}: this call is not in the recording\n`);
      return { ...ruling, reply: cliAnswer({ stderr, exitCode: 1 }) };
    }
    const given = argumentsText(argv);
    const near = nearest ? `; the nearest recorded one is at ${place}` : '';
    const why = unrecorded === undefined ? near : `: ${unrecorded} (${place})`;
    const message = difference ?? `A call of "${tool}" ${missedText(missed)}: ${given}${why}`;
    return { ...ruling, reply: { kind: 'fault', fault: new AssayError('TOOL_REPLAY_MISS', `${message}.`) } };
  }
}

function tapedCall(line: RunLine): TapedCall<RunLine> {
  const { tool, args, cwd, by, stdin, span, given, files = [] } = line;
  const compared = comparedCall(tool, [args, cwd]);
  const isReading = files.length === 0 && args.some((argument) => readingArguments.includes(argument));
  const identity = JSON.stringify([compared.normalised, by, stdin?.content, given]);
  return { ...compared, entry: line, isReading, isDescription: isReading, identity, span };
}

function reservations(entry: RunLine, isMerged: boolean, { isIdle }: CliInput): string[] {
  return [
    ...(entry.isMerged && !isMerged ? ['stdout and stderr went to one place'] : []),
    ...(isIdle ? ['the standard input had ended'] : []),
    ...(entry.doubts ?? []),
  ];
}
