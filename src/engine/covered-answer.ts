import type { Channel } from '../domain/capability.ts';
import { channelWords, gapText } from '../domain/coverage-text.ts';
import { AssayError, errorTable } from '../domain/errors.ts';
import { unknownTool } from '../domain/tools/known-tools.ts';
import { unseenCalls } from '../domain/tools/unseen-calls.ts';
import type { Trace } from '../domain/trace.ts';
import { channelCoverage, gapsAfterAnswer, gapsIn } from '../domain/trace-coverage/coverage.ts';
import type { Answer, EvaluatorKind, How, Reads } from '../score/evaluators/evaluator.ts';

type Decided = Extract<Answer, { state: 'pass' | 'fail' | 'measured' | 'no-data' }>;

/**
 * The one place where an answer meets the coverage of its trace. An answer that rests on what was not seen needs
 * channels that are complete: otherwise an assertion is an error, and a metric has no data.
 */
export function coveredAnswer(answer: Answer, kind: EvaluatorKind, reads: Reads, trace: Trace): Answer {
  if (answer.state === 'skipped') return answer;
  if (answer.state === 'error') return { ...answer, error: explained(answer.error, reads, trace) };
  const missing = missingFor((how) => neededFor(answer, how), reads, trace);
  if (missing === undefined) return answer;
  if (kind === 'metric') return unmeasured(answer, missing);
  return { state: 'error', error: missing, ...undecided(answer) };
}

/** An evaluator sees that a figure is missing; a loss in its channel says why, and where. */
function explained(error: AssayError, { channels, scope }: Reads, trace: Trace): AssayError {
  if (error.code !== 'NOT_OBSERVED') return error;
  for (const [channel] of entriesOf(channels)) {
    const gaps = gapsIn(trace, channel, scope);
    if (gaps.length > 0) return notObserved(channel, gaps.map(gapText));
  }
  return error;
}

/** Reads of an evaluation: of the channels that it may have read, those that it did. */
export function withRead(reads: Reads, read: ReadonlySet<Channel> | undefined): Reads {
  if (!read || !reads.whereRead) return reads;
  const wasRead = entriesOf(reads.whereRead).filter(([channel]) => read.has(channel));
  return { ...reads, channels: { ...reads.channels, ...Object.fromEntries(wasRead) } };
}

/** Why an evaluator cannot judge a trace whatever it would answer: no judge is prompted, and nothing is paid. */
export function refusedByCoverage(reads: Reads, trace: Trace): AssayError | undefined {
  return missingFor((how) => (how === 'exact' ? 'all' : 'nothing'), reads, trace);
}

/** Refuses names of tools that nothing has: an assertion about them would hold, or fail, whatever happened. */
export function refusedName({ tools = [] }: Reads, trace: Trace): AssayError | undefined {
  for (const name of tools) {
    const refusal = unknownTool(trace, name);
    if (refusal) return refusal;
  }
  return undefined;
}

/**
 * The need of an answer for a channel that is read in some way: all of it, a source that reports it, or nothing but that
 * the answer which it is about is the last one.
 */
type Needed = 'all' | 'a source' | 'the end' | 'nothing';

function neededFor(answer: Decided, how: How): Needed {
  if (answer.state === 'measured' || answer.state === 'no-data') return 'all';
  if (answer.restsOn !== undefined) return answer.restsOn === 'silence' ? 'all' : 'the end';
  if (how === 'exact') return 'all';
  if (how === 'presence') return answer.state === 'fail' ? 'all' : 'the end';
  // "Too much" was seen, unless nothing could be.
  return answer.state === 'pass' ? 'all' : 'a source';
}

function missingFor(needed: (how: How) => Needed, reads: Reads, trace: Trace): AssayError | undefined {
  for (const [channel, how] of entriesOf(reads.channels)) {
    const need = needed(how);
    if (need === 'nothing') continue;
    if (need === 'the end') {
      const gaps = reads.scope === 'answer' ? gapsAfterAnswer(trace, channel) : [];
      if (gaps.length > 0) return notObserved(channel, gaps.map(gapText));
      continue;
    }
    const { state, reasons = [] } = channelCoverage(trace, channel, reads.scope);
    if (state === 'none') return unreported(channel, reasons);
    if (state === 'partial' && need === 'all') return notObserved(channel, reasons);
    if (need !== 'all') continue;
    if (channel !== 'tool-calls') continue;
    const unseen = unseenCalls(trace, reads.tools ?? []);
    if (unseen) return unseen;
  }
  if (!reads.whereReported) return undefined;
  for (const [channel, how] of entriesOf(reads.whereReported)) {
    const gaps = needed(how) === 'all' ? gapsIn(trace, channel, reads.scope) : [];
    if (gaps.length > 0) return notObserved(channel, gaps.map(gapText));
  }
  return undefined;
}

function entriesOf(channels: Reads['channels']): [Channel, How][] {
  return Object.entries(channels) as [Channel, How][];
}

const mostReasons = 3;

const lossHint =
  'Find the loss in the trace with `assay show`, remove its cause and run the trial again, or assert something that does not rest on it.';

/** For a channel of which something was lost; where no source reports it, the usual hint applies. */
function notObserved(channel: Channel, reasons: readonly string[], hint: string = lossHint): AssayError {
  const listed = reasons.slice(0, mostReasons).join('; ');
  const more = reasons.length > mostReasons ? `; and ${reasons.length - mostReasons} more` : '';
  const message = `Not all ${channelWords[channel]} were observed: ${listed}${more}.`;
  return new AssayError('NOT_OBSERVED', message, { hint });
}

function unreported(channel: Channel, reasons: readonly string[]): AssayError {
  return notObserved(channel, reasons, errorTable.NOT_OBSERVED.hint);
}

/** Figures of a part would be read as figures of the whole; a trial that cannot be judged stays one. */
function unmeasured(answer: Decided, missing: AssayError): Answer<'metric'> {
  const { metrics } = answer;
  const absent = metrics && { metrics: Object.fromEntries(Object.keys(metrics).map((name) => [name, null])) };
  if (answer.state === 'no-data') return { ...answer, ...absent };
  return { state: 'no-data', reason: missing.message, ...absent, ...('voids' in answer && { voids: answer.voids }) };
}

/** A gate that cannot be judged is not listed as passed. */
function undecided({ findings }: Decided): Pick<Decided, 'findings'> {
  if (!findings) return {};
  return { findings: findings.gates ? { ...findings, gates: findings.gates.map(notPassed) } : findings };
}

function notPassed<Gate extends { readonly passed: boolean }>(gate: Gate): Gate {
  return { ...gate, passed: false };
}
