import { join } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import type { Placed, TapedBytes, TapedFile, TapeLine } from '../../../domain/tool-control/tape.ts';
import { mostRecordedBytes } from '../../interposer/stand-in.ts';
import { comparedCall } from '../../tape/compared-call.ts';
import { answeredText, argumentsText, missText } from '../../tape/missed-call.ts';
import { type ComparedCall, type FoundCall, Player, type TapedCall } from '../../tape/player.ts';
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
    this.#all = new Player(taped, 'arguments');
    const ofAgent = taped.filter(({ entry }) => entry.by === undefined);
    this.#calls = rules.match === 'arguments' ? undefined : new Player(ofAgent, rules.match);
  }

  /** How much of the standard input has to be known before the call can be answered. */
  wantsInput(call: CliCall, known: CliInput | undefined, by?: 'script'): InputRequest | undefined {
    const compared = this.#comparedOf(call);
    const calls = by ? this.#all : (this.#calls ?? this.#all);
    if (!known) {
      // A program that read nothing answers whatever its input is.
      const expected = calls.peek(compared, (line) => line.by === by);
      return expected && this.#needed(expected);
    }
    if (known.ended || known.isIdle || calls.peek(compared, (line) => line.by === by && this.#accepts(line, known)))
      return undefined;
    const others = this.#lines.filter((line) => line.by === by && tapedCall(line).normalised === compared.normalised);
    const most = Math.max(0, ...others.map((line) => this.#needed(line)?.bytes ?? 0));
    return most > known.bytes.length ? { bytes: most } : undefined;
  }

  /** How the recording answers a call; without a reply, the real program is to answer. */
  answer(call: CliCall, input: CliInput = unknownInput, by?: 'script'): ReplayedRun {
    const compared = this.#comparedOf(call);
    const accepts = (line: RunLine): boolean => line.by === by && this.#accepts(line, input);
    const inState = this.#all.find(compared, accepts);
    const found = by || !this.#calls ? inState : this.#calls.find(compared, accepts);
    if (!found) return this.#missed(call, compared);
    // A verdict must not rest on a state that the trial has not reached.
    if (by && (found.early > 0 || found.unmade.length > 0)) return this.#otherState(call, found);
    const { entry } = found;
    if (entry.unrecorded !== undefined) return this.#missed(call, compared, entry);
    const what = answeredText(found, reservations(entry, call.isMerged, input));
    return { rule: entry.place, what, reply: this.#answerOf(entry) };
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
      join(this.#options.workDirectory, file.path),
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

  #otherState({ tool, argv }: CliCall, { entry }: FoundCall<RunLine>): ReplayedRun {
    const given = argumentsText(argv);
    const message = `A script or gate called "${tool}" (${given}), and other calls came before it than in the recording at ${entry.place}.`;
    const fault = new AssayError('TOOL_REPLAY_MISS', message);
    return { rule: entry.place, what: 'recorded after other calls', reply: { kind: 'fault', fault } };
  }

  #missed({ tool, argv }: CliCall, compared: ComparedCall, line?: RunLine): ReplayedRun {
    const { rules, lines } = this.#options.tape;
    const nearest = line ?? this.#all.nearest(compared);
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
    const why = line?.unrecorded === undefined ? near : `: ${line.unrecorded} (${place})`;
    const message = difference ?? `A call of "${tool}" is not recorded: ${given}${why}`;
    return { ...ruling, reply: { kind: 'fault', fault: new AssayError('TOOL_REPLAY_MISS', `${message}.`) } };
  }
}

function tapedCall(line: RunLine): TapedCall<RunLine> {
  const { tool, args, cwd, by, stdin, files = [] } = line;
  const compared = comparedCall(tool, [args, cwd]);
  const isReading = files.length === 0 && args.some((argument) => readingArguments.includes(argument));
  return { ...compared, entry: line, isReading, identity: JSON.stringify([compared.normalised, by, stdin?.content]) };
}

function reservations(entry: RunLine, isMerged: boolean, { isIdle }: CliInput): string[] {
  return [
    ...(entry.isMerged && !isMerged ? ['stdout and stderr went to one place'] : []),
    ...(isIdle ? ['the standard input had ended'] : []),
    ...(entry.doubts ?? []),
  ];
}
