import type { Trace, UnstampedEvent } from '../../../../domain/trace.ts';
import { totalTokensOf } from '../../../../domain/usage.ts';
import { canonicalJson, isRecord } from '../../../../shared/json.ts';
import { messageKey } from '../../chat-message.ts';
import { ChatTraceBuilder, shellCommandOf } from '../../chat-trace.ts';
import { figureOf } from '../../coerce.ts';
import { lost } from '../../losses.ts';
import { TraceCollector } from '../../trace-collector.ts';
import { emptyReading, type SpanReading, type SpanTool } from './conventions/convention.ts';
import { spanConventions } from './conventions/index.ts';
import { cutAttributes, type OtlpSpan } from './otlp-span.ts';

interface ReadSpan extends SpanReading {
  readonly span: OtlpSpan;
  /** Whether a convention recognises it. */
  readonly isKnown: boolean;
  /** Whether it shows a request to a model or a tool itself, and not only their sum. */
  readonly isWork: boolean;
}

/** The trace of spans in the order of their times; `lostParts` are what is known to be missing from them. */
export function traceOfSpans(spans: readonly OtlpSpan[], lostParts: readonly string[] = []): Trace {
  const read = spans.map(readSpan);
  const byId = new Map(read.map((each) => [each.span.spanId, each]));
  const aroundMessages = spansAround(read, byId, ({ messages }) => messages.length > 0, true);
  const aroundFigures = spansAround(read, byId, hasFigures, false);
  const builder = new SpanTraceBuilder();
  for (const reason of lostParts) builder.lose(lost.everything, reason);
  for (const [index, each] of read.entries()) {
    const { span, request, messages } = each;
    const isAround = aroundFigures.has(span) || (request !== undefined && !hasFigures(each) && isInRequest(each, byId));
    builder.add({
      ...each,
      messages: aroundMessages.has(span) ? [] : messages,
      request: isAround ? undefined : request,
    });
    loseUnseen(each, byId, builder);
    if (each.isFollowedByTool && !isToolNext(read, index)) {
      builder.lose(lost.call, 'a request ended with calls that no span shows', `span ${span.spanId}`);
    }
  }
  const inside = figuresInside(read, byId);
  for (const each of read) checkTotal(each, inside, builder);
  for (const convention of spanConventions) {
    const own = spans.filter((span) => convention.recognises(span));
    for (const { channels, reason } of convention.missingFrom?.(own) ?? []) builder.lose(channels, reason);
  }
  return builder.finish(read);
}

function readSpan(span: OtlpSpan): ReadSpan {
  const convention = spanConventions.find((each) => each.recognises(span));
  const { total, ...reading } = convention?.read(span) ?? emptyReading;
  const isSum = total?.usage.usage !== undefined || total?.usage.problem !== undefined;
  const isWork = reading.request !== undefined || reading.tool !== undefined;
  return { span, isKnown: convention !== undefined, isWork, ...(isSum && { request: total }), ...reading };
}

function hasFigures({ request }: SpanReading): boolean {
  return request?.usage.usage !== undefined || request?.usage.problem !== undefined;
}

/** Whether a request without figures is a part of one that has them, as a client may report it beside its library. */
function isInRequest(inner: ReadSpan, byId: ReadonlyMap<string, ReadSpan>): boolean {
  return ancestorsOf(inner, byId).some(hasFigures);
}

/** Losses that a span reports, and losses that its place shows. */
function loseUnseen(
  each: ReadSpan,
  byId: ReadonlyMap<string, ReadSpan>,
  { lose, loseThroughout }: SpanTraceBuilder,
): void {
  const { span, losses = [], isKnown, unanswered } = each;
  const place = `span ${span.spanId}`;
  for (const { channels, reason } of losses)
    (channels === lost.everything ? loseThroughout : lose)(channels, reason, place);
  const isShown = (other: ReadSpan): boolean => other.messages.length > 0 && other.unanswered === undefined;
  if (unanswered && !span.isFailed && !relativesOf(each, byId).some(isShown))
    lose(unanswered.channels, unanswered.reason, place);
  for (const reason of span.lost) lose(lost.everything, reason, place);
  if (isKnown) for (const { channels, reason } of cutAttributes(span)) lose(channels, reason, place);
  const { parentSpanId } = span;
  if (parentSpanId !== undefined && !byId.has(parentSpanId) && !span.hasRemoteParent) {
    lose(lost.everything, `the span ${parentSpanId} around it did not arrive`, place);
  }
  if (!spansOutside(each, byId)) lose(lost.everything, 'spans are parents of each other, or nested without end', place);
}

/** The spans around a span and those directly in it, which may be about the same request. */
function relativesOf(each: ReadSpan, byId: ReadonlyMap<string, ReadSpan>): ReadSpan[] {
  const inside = [...byId.values()].filter(({ span }) => span.parentSpanId === each.span.spanId);
  const around = ancestorsOf(each, byId).filter(({ isWork }) => isWork);
  return [...inside, ...around];
}

/** Whether a tool is the next thing that happens after a span. */
function isToolNext(read: readonly ReadSpan[], index: number): boolean {
  for (let at = index + 1; at < read.length; at++) if (read[at]?.isWork) return read[at]?.tool !== undefined;
  return false;
}

type Inside = ReadonlyMap<OtlpSpan, readonly ReadSpan[]>;

/** The spans with figures that are inside each span. */
function figuresInside(read: readonly ReadSpan[], byId: ReadonlyMap<string, ReadSpan>): Inside {
  const inside = new Map<OtlpSpan, ReadSpan[]>();
  for (const inner of read.filter(hasFigures)) {
    for (const { span } of ancestorsOf(inner, byId)) {
      const others = inside.get(span);
      if (others) others.push(inner);
      else inside.set(span, [inner]);
    }
  }
  return inside;
}

/** A sum over requests that is larger than they are: one of them is missing. */
function checkTotal({ span, request: sum }: ReadSpan, inside: Inside, { lose }: SpanTraceBuilder): void {
  // A client may report the very request that its library reports inside it.
  const innermost = (inside.get(span) ?? []).filter((each) => !inside.has(each.span));
  if (!sum || innermost.length === 0) return;
  const place = `span ${span.spanId}`;
  const [tokens, cost] = [totalTokensOf(sum.usage.usage ?? {}), figureOf(sum.costUsd)];
  const counted = innermost.map((each) => totalTokensOf(each.request?.usage.usage ?? {}) ?? 0).reduce(plus, 0);
  if (tokens !== undefined && tokens > counted) {
    lose(lost.usage, `a span reports ${tokens} tokens, and the requests in it ${counted}`, place);
  }
  const spent = innermost.map((each) => figureOf(each.request?.costUsd) ?? 0).reduce(plus, 0);
  if (cost !== undefined && cost > spent * 1.01 + 1e-6) {
    lose(lost.cost, `a span reports $${cost}, and the requests in it $${spent}`, place);
  }
}

function plus(a: number, b: number): number {
  return a + b;
}

/** Spans that stand in each other; programs have a few dozen, and each is compared with all that are around it. */
const mostLevels = 1_000;

function ancestorsOf(inner: ReadSpan, byId: ReadonlyMap<string, ReadSpan>): ReadSpan[] {
  return spansOutside(inner, byId) ?? [];
}

/** The spans around a span, the nearest first; undefined where spans are each other's parents, or too many. */
function spansOutside(inner: ReadSpan, byId: ReadonlyMap<string, ReadSpan>): ReadSpan[] | undefined {
  const path = new Set<ReadSpan>();
  for (let outer = parentOf(inner, byId); outer; outer = parentOf(outer, byId)) {
    if (outer === inner || path.has(outer) || path.size === mostLevels) return undefined;
    path.add(outer);
  }
  return [...path];
}

/**
 * Spans that have others inside them which say the same: an agent has the messages and the sum of its requests, and a
 * client may report a request beside its instrumentation. Messages of an agent that works as a tool are not those of
 * the agent around it.
 */
function spansAround(
  read: readonly ReadSpan[],
  byId: ReadonlyMap<string, ReadSpan>,
  has: (reading: ReadSpan) => boolean,
  endsAtTools: boolean,
): ReadonlySet<OtlpSpan> {
  const around = new Set<OtlpSpan>();
  for (const inner of read.filter(has)) {
    for (const outer of ancestorsOf(inner, byId)) {
      if (endsAtTools && outer.tool) break;
      around.add(outer.span);
    }
  }
  return around;
}

function parentOf({ span }: ReadSpan, byId: ReadonlyMap<string, ReadSpan>): ReadSpan | undefined {
  return span.parentSpanId === undefined ? undefined : byId.get(span.parentSpanId);
}

/** Emits each message and each call once, although every model request repeats the whole conversation. */
class SpanTraceBuilder {
  readonly #collector = new TraceCollector();
  readonly lose = this.#collector.lose;
  readonly #throughout: Parameters<TraceCollector['lose']>[] = [];
  /** For a loss that could have been a message of the user: where answers begin is not known after it either. */
  readonly loseThroughout = (...loss: Parameters<TraceCollector['lose']>): void => {
    this.#throughout.push(loss);
  };
  readonly #called = new Map<string, { readonly tool: string; readonly input: unknown }>();
  readonly #answered = new Set<string>();
  /** Calls that spans about their execution alone name. */
  readonly #executed = new Map<string, string>();
  readonly #chat = new ChatTraceBuilder({
    setTime: () => undefined,
    emit: (event) => this.#emitOnce(event),
    lose: this.#collector.lose,
    hasCall: (callId) => this.#called.has(callId),
  });
  readonly #emitted = new Map<string, number>();
  #calls = 0;

  add({ span, messages, tool, request }: ReadSpan): void {
    this.#collector.setTime(span.startMs);
    const place = `span ${span.spanId}`;
    const times = new Map<string, number>();
    for (const message of messages) {
      const key = isRecord(message) ? messageKey(message) : canonicalJson(message);
      const time = (times.get(key) ?? 0) + 1;
      times.set(key, time);
      if (time <= (this.#emitted.get(key) ?? 0)) continue;
      this.#emitted.set(key, time);
      this.#chat.add(message, place);
    }
    if (tool) this.#addTool(tool, span);
    if (request) this.#chat.addRequest(request, place);
    if (messages.length > 0 || tool || request) this.#chat.addTime(span.startMs, span.endMs);
  }

  /** The only answer of a trace took as long as the spans that are about it, those around them included. */
  finish(read: readonly ReadSpan[]): Trace {
    if (this.#chat.turnCount === 1) {
      for (const { span, isKnown } of read) if (isKnown) this.#chat.addTime(span.startMs, span.endMs);
    }
    for (const loss of this.#throughout) this.lose(...loss);
    this.#chat.finish();
    this.#collector.loseMissingAnswer();
    for (const [callId, place] of this.#executed)
      if (!this.#called.has(callId)) this.lose(lost.call, 'a tool was executed for a call that no span shows', place);
    // Spans of requests and tools show all calls, or say which of them they do not show.
    if (read.some(({ isWork }) => isWork))
      this.#collector.emit({ type: 'reports', seenBy: 'engine', what: ['tool-calls'] });
    return this.#collector.finish();
  }

  #addTool({ name: tool, callId: id, input, result, error, part }: SpanTool, span: OtlpSpan): void {
    const { startMs, endMs, isFailed, statusMessage } = span;
    const place = `span ${span.spanId}`;
    // The span of an execution has the id of its call, and the span of the call has the name.
    if (part === 'result' && id !== undefined) this.#executed.set(id, place);
    else if (tool === 'unknown') this.lose(lost.call, 'a tool call has no name', place);
    this.#calls++;
    const callId = id ?? this.#openCall(tool, input) ?? `span-${this.#calls}`;
    const hasFailed = isFailed || error !== undefined;
    const message = statusMessage || error || 'the tool failed';
    const answer = hasFailed ? { error: { message } } : { result: result ?? null };
    const durationMs =
      startMs === undefined || endMs === undefined ? undefined : Math.round(Math.max(0, endMs - startMs));
    if (part !== 'result') this.#emitOnce({ type: 'tool-call', callId, tool, input, ...shellCommandOf(tool, input) });
    if (part !== 'call') this.#emitOnce({ type: 'tool-result', callId, durationMs, ...answer });
  }

  /**
   * Spans of tools need not name the call of the model that they answer: it is the first one that is open, with the same
   * input if there is one.
   */
  #openCall(tool: string, input: unknown): string | undefined {
    const open = [...this.#called].filter(([callId, call]) => call.tool === tool && !this.#answered.has(callId));
    const written = canonicalJson(input);
    return (open.find(([, call]) => canonicalJson(call.input) === written) ?? open[0])?.[0];
  }

  #emitOnce(event: UnstampedEvent): void {
    if (event.type === 'tool-call') {
      const before = this.#called.get(event.callId);
      // The arguments of a call may be written in two ways.
      if (before?.tool === event.tool) return;
      if (before) this.lose(lost.call, `there are two calls with the id ${event.callId}`);
      this.#called.set(event.callId, event);
    } else if (event.type === 'tool-result') {
      if (this.#answered.has(event.callId)) return;
      this.#answered.add(event.callId);
    }
    this.#collector.emit(event);
  }
}
