import type { Channel } from '../../domain/capability.ts';
import { gapOf } from '../../domain/loss.ts';
import { type EmitTrace, eventsOf, type Trace, type TraceEvent } from '../../domain/trace.ts';
import { counted } from '../../shared/format.ts';
import { mapTexts } from '../../shared/json.ts';
import { cutMiddle } from '../../shared/text.ts';
import { charactersIn, type JsonObject, timeOf, wordsOf } from './coerce.ts';
import { lost } from './losses.ts';

const headCharacters = 4 * 1_048_576;
const tailCharacters = 4 * 1_048_576;
const longestText = 1_048_576;

/**
 * The events of one imported trial with the times of the file. Events in the middle of a trace that is too long are
 * left out, which is a gap.
 */
export class TraceCollector {
  readonly #head: TraceEvent[] = [];
  #tail: { readonly event: TraceEvent; readonly characters: number }[] = [];
  #tailBegin = 0;
  #headSize = 0;
  #tailSize = 0;
  #leftOut = 0;
  #isUnderstood = false;
  #hasAnswer = false;
  #hasMessage = false;
  #hasUsage = false;
  #firstMs: number | undefined;
  #at = 0;
  readonly #callTimes = new Map<string, number>();
  readonly #openCalls = new Set<string>();
  #hasResult = false;

  /** Time of the first event in milliseconds since 1970; undefined when the file has no times. */
  get startedAt(): number | undefined {
    return this.#firstMs;
  }

  /** Time since the first event. */
  get at(): number {
    return this.#at;
  }

  /** Between the first and the last event; undefined where the file has no times, or not all of them. */
  get durationMs(): number | undefined {
    return this.#firstMs === undefined || this.hasLostTimes ? undefined : this.#at;
  }

  /** Whether something was lost. */
  hasGaps = false;
  /** Whether some time of the file is not known. */
  hasLostTimes = false;

  /** Whether calls have no result although the file has results: the time of their end is not known. */
  get lacksResults(): boolean {
    return this.#hasResult && this.#openCalls.size > 0;
  }

  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  /** Whether the file has an event that its format knows. */
  get isUnderstood(): boolean {
    return this.#isUnderstood;
  }

  /** Time of the following events, as the file writes it. Time never goes back. */
  setTime(written: unknown): void {
    const timeMs = timeOf(written);
    if (timeMs === undefined) {
      if (written !== undefined && written !== null) this.lose(['times'], `${JSON.stringify(written)} is not a time`);
      return;
    }
    this.#firstMs ??= timeMs;
    if (timeMs < this.#firstMs && !this.hasLostTimes) this.lose(['times'], 'the file is not in the order of its times');
    this.#at = Math.max(this.#at, timeMs - this.#firstMs);
  }

  readonly emit: EmitTrace = (event) => {
    this.keep({ at: this.#at, seenBy: 'agent', ...event } as TraceEvent);
  };

  /** Something of the file is not in the trace: its channels are not complete. */
  readonly lose = (channels: readonly Channel[], reason: string, place?: string): void => {
    this.emit({ ...gapOf({ channels, reason, place }), seenBy: 'engine' });
  };

  /** The words under a key of a record; a value of another type is lost, and not absent. */
  words(record: JsonObject, key: string, channels: readonly Channel[], place?: string): string | undefined {
    const value = record[key];
    if (value != null && typeof value !== 'string') this.lose(channels, `\`${key}\` is not a text`, place);
    return wordsOf(value);
  }

  /** An answer that is not there is lost, where a message was to be answered: results of tools are not answers. */
  loseMissingAnswer(): void {
    if (!this.#hasMessage || this.#hasAnswer) return;
    const figures = this.#hasUsage ? [] : lost.usage;
    this.lose([...lost.answer, 'times', ...figures], 'no answer was recorded');
  }

  /** Keeps an event that already has its time and source. */
  keep(event: TraceEvent): void {
    this.#hasUsage ||= event.type === 'usage';
    this.#hasMessage ||= event.type === 'message';
    this.#hasAnswer ||= event.type === 'turn' || (event.type === 'message' && event.role === 'assistant');
    this.hasGaps ||= event.type === 'gap';
    this.hasLostTimes ||= event.type === 'gap' && event.channels.includes('times');
    this.#isUnderstood ||= event.type !== 'other' && event.type !== 'gap';
    const timed = this.#timed(event);
    const size = charactersIn(timed);
    const kept = size > longestText ? (mapTexts(timed, (text) => cutMiddle(text, longestText)) as TraceEvent) : timed;
    const characters = kept === timed ? size : charactersIn(kept);
    if (kept !== timed) this.lose(lost.message, `a ${event.type} of ${size} characters was shortened`);
    if (this.#tail.length === 0 && this.#headSize + characters <= headCharacters) {
      this.#headSize += characters;
      this.#head.push(kept);
    } else this.#keepInTail(kept, characters);
  }

  finish(): Trace {
    return withUncertainEnds(this.#kept());
  }

  #kept(): Trace {
    const tail = this.#tail.slice(this.#tailBegin).map(({ event }) => event);
    if (this.#leftOut === 0) return [...this.#head, ...tail];
    const reason = `${counted(this.#leftOut, 'event')} left out here: the trace is too long`;
    const at = tail[0]?.at ?? this.#at;
    return [...this.#head, { type: 'gap', at, seenBy: 'engine', channels: [...lost.everything], reason }, ...tail];
  }

  #keepInTail(event: TraceEvent, characters: number): void {
    this.#tail.push({ event, characters });
    this.#tailSize += characters;
    while (this.#tailSize > tailCharacters && this.#tailBegin < this.#tail.length - 1) {
      this.#tailSize -= this.#tail[this.#tailBegin]?.characters ?? 0;
      this.#tailBegin++;
      this.#leftOut++;
    }
    if (this.#tailBegin < 1_000) return;
    this.#tail = this.#tail.slice(this.#tailBegin);
    this.#tailBegin = 0;
  }

  /** Durations that a stream reader measured with the current clock are replaced by those of the file, where it has times. */
  #timed(event: TraceEvent): TraceEvent {
    if (event.type === 'tool-call') {
      this.#callTimes.set(event.callId, event.at);
      this.#openCalls.add(event.callId);
    }
    if (event.type !== 'tool-result') return event;
    this.#hasResult = true;
    this.#openCalls.delete(event.callId);
    if (Number.isInteger(event.durationMs)) return event;
    const { durationMs: _, ...untimed } = event;
    const calledAt = this.#callTimes.get(event.callId);
    if (this.#firstMs === undefined || calledAt === undefined) return untimed;
    return { ...untimed, durationMs: Math.max(0, event.at - calledAt) };
  }
}

/**
 * The messages of a file decide where its answers end: where a whole message may have been lost, none of them is certain,
 * and the loss stands in each.
 */
function withUncertainEnds(trace: Trace): Trace {
  const loss = trace.find((event) => event.type === 'gap' && isOfEverything(event.channels));
  if (!loss || eventsOf(trace, 'turn').length < 2) return trace;
  const events: TraceEvent[] = [];
  let isInAnswer = false;
  for (const event of trace) {
    isInAnswer ||= event === loss;
    if (event.type === 'turn') {
      if (!isInAnswer) events.push({ ...loss, at: event.at });
      isInAnswer = false;
    }
    events.push(event);
  }
  return events;
}

function isOfEverything(channels: readonly Channel[]): boolean {
  return lost.everything.every((channel) => channels.includes(channel));
}
