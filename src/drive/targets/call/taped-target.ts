import { AssayError, asAssayError, type ErrorCode } from '../../../domain/errors.ts';
import type { Placed, TapeLine } from '../../../domain/tape.ts';
import { type EmitTrace, eventsOf, type Trace } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import { answeredText, argumentsText, comparedCall, missText, notRecorded } from '../../tape/missed-call.ts';
import { Player } from '../../tape/player.ts';
import type { RecordedTape } from '../../tape/recorded-tape.ts';
import type { ReplayedTape, ToolTapes } from '../../tape/tool-tapes.ts';
import type { StampedTrace } from '../stamped-trace.ts';
import type { StopRequest, Target, TargetContext, TurnControl } from '../target.ts';

type DirectLine = Extract<TapeLine, { kind: 'direct' }>;

/** Ways in which a tool itself does not answer; without a tool there is nothing to record. */
const recordedFaults: ReadonlySet<ErrorCode> = new Set([
  'TARGET_CRASHED',
  'TARGET_OUTPUT_NOT_JSON',
  'TARGET_OUTPUT_TOO_LARGE',
]);

/** Characters of a call in a recording. */
const longestLine = 1_048_576;

/** A tool that is called directly, whose calls are recorded or answered from a recording. */
export class TapedTarget implements Target {
  readonly #tapes: ToolTapes;
  readonly #tool: string;
  readonly #context: TargetContext;
  readonly #openReal: () => Promise<Target>;
  #real: Promise<Target> | undefined;

  constructor(tapes: ToolTapes, tool: string, context: TargetContext, openReal: () => Promise<Target>) {
    this.#tapes = tapes;
    this.#tool = tool;
    this.#context = context;
    this.#openReal = openReal;
  }

  async attempt(trial: Trial, trace: StampedTrace, stop: StopRequest, turns: TurnControl): Promise<undefined> {
    const callReal = async (): Promise<void> => {
      const real = await this.#opened();
      await real.attempt(trial, trace, stop, turns);
    };
    const tape = this.#tapes.open(trial, { scenario: this.#context.directory }, trace.emit);
    if (!tape) await callReal();
    else if (tape.kind === 'record') await this.#record(tape, trial, trace, stop, callReal);
    else if (!this.#answer(tape, trial, trace.emit)) await callReal();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const real = await this.#real?.catch(() => undefined);
    await real?.[Symbol.asyncDispose]();
  }

  /** A recording answers without it, so it is opened when it is first called. */
  #opened(): Promise<Target> {
    this.#real ??= this.#openReal();
    return this.#real;
  }

  async #record(
    tape: RecordedTape,
    { case: { input } }: Trial,
    { events }: StampedTrace,
    stop: StopRequest,
    callReal: () => Promise<void>,
  ): Promise<void> {
    const fill = tape.reserve();
    const before = events.length;
    const keep = async (end: Pick<DirectLine, 'fault'>): Promise<void> => {
      if (stop.isStopped) return;
      fill(bounded({ kind: 'direct', tool: this.#tool, input, ...seenIn(events.slice(before)), ...end }));
      await tape.conclude();
    };
    try {
      await callReal();
    } catch (error) {
      const { code, message } = asAssayError(error);
      if (recordedFaults.has(code)) await keep({ fault: { code, message } });
      throw error;
    }
    await keep({});
  }

  /** False where the real tool is to answer. */
  #answer(tape: ReplayedTape, { trialId: callId, case: { input } }: Trial, emit: EmitTrace): boolean {
    const began = performance.now();
    const { lines, rules, words } = tape;
    const found = this.#find(tape, words.written(input).value);
    const report = (what: string, rule: string): void =>
      emit({ type: 'tool-control', border: 'call', tool: this.#tool, callNumber: 1, kind: 'replay', rule, what });
    const answered = { callId, durationMs: performance.now() - began, answeredBy: 'replay' } as const;
    if (!found) {
      const near = lines.find(isDirect)?.place;
      report(missText(rules.miss, 'tool'), near ?? 'replay');
      if (rules.miss === 'real') return false;
      emit({ type: 'tool-call', callId, tool: this.#tool, input });
      if (rules.miss === 'error') throw this.#miss(input, near);
      emit({ type: 'tool-result', ...answered, error: { message: notRecorded } });
      return true;
    }
    report(answeredText({ entry: found, difference: undefined }), found.place);
    emit({ type: 'tool-call', callId, tool: this.#tool, input });
    const { printed = [], fault, error, result, status } = words.read(found);
    for (const text of printed) emit({ type: 'output', ...text });
    if (fault) throw new AssayError(fault.code as ErrorCode, fault.message);
    emit({ type: 'tool-result', ...answered, ...(error ? { error } : { result, status }) });
    return true;
  }

  #find({ lines, rules }: ReplayedTape, input: unknown): Placed<DirectLine> | undefined {
    const usable = lines.filter(isDirect).filter((line) => line.unrecorded === undefined);
    const calls = usable.map((entry) => ({ ...comparedCall(entry.tool, entry.input), entry, isReading: false }));
    const found = new Player(calls, rules.match).find(comparedCall(this.#tool, input));
    return found.kind === 'found' ? found.entry : undefined;
  }

  #miss(input: unknown, near: string | undefined): AssayError {
    const nearest = near === undefined ? '' : `; the recorded one is at ${near}`;
    const message = `The call of "${this.#tool}" is not recorded: ${argumentsText(input)}${nearest}.`;
    return new AssayError('TOOL_REPLAY_MISS', message);
  }
}

function seenIn(events: Trace): Pick<DirectLine, 'result' | 'error' | 'status' | 'printed'> {
  const printed = eventsOf(events, 'output').map(({ channel, text, truncatedBytes }) => ({
    channel,
    text,
    truncatedBytes,
  }));
  const { result, error, status } = eventsOf(events, 'tool-result')[0] ?? {};
  const answer = error
    ? { error }
    : { ...(result !== undefined && { result }), ...(status !== undefined && { status }) };
  return { ...answer, ...(printed.length > 0 && { printed }) };
}

function isDirect(line: Placed<TapeLine>): line is Placed<DirectLine> {
  return line.kind === 'direct';
}

/** The line without what is too long to be read by anyone; it says so. */
function bounded(line: DirectLine): DirectLine {
  const { kind, tool, input } = line;
  if (JSON.stringify(line).length <= longestLine) return line;
  const isInput = (JSON.stringify(input)?.length ?? 0) > longestLine / 2;
  const unrecorded = 'the call has more than 1 MB';
  return { kind, tool, ...(isInput ? {} : { input }), unrecorded };
}
