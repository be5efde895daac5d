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
import { cutAttributes } from './cut-attributes.ts';
import type { OtlpSpan } from './otlp-span.ts';

interface ReadSpan extends SpanReading {
  readonly span: OtlpSpan;
  /** Whether a convention recognises it. */
  readonly isKnown: boolean;
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
    loseUnseen(each, read.slice(index + 1), byId, builder);
  }
  for (const each of read) checkTotal(each, read, byId, builder);
  return builder.finish(read);
}

function readSpan(span: OtlpSpan): ReadSpan {
  const convention = spanConventions.find((each) => each.recognises(span));
  const { total, ...reading } = convention?.read(span) ?? emptyReading;
  const isSum = total?.usage.usage !== undefined || total?.usage.problem !== undefined;
  return { span, isKnown: convention !== undefined, ...(isSum && { request: total }), ...reading };
}

function hasFigures({ request }: SpanReading): boolean {
  return request?.usage.usage !== undefined || request?.usage.problem !== undefined;
}

/** Whether a request without figures is a part of one that has them, as a client may report it beside its library. */
function isInRequest(inner: ReadSpan, byId: ReadonlyMap<string, ReadSpan>): boolean {
  return ancestorsOf(inner, byId).some(hasFigures);
}

/** What a span says is missing, and what its place shows to be missing. */
function loseUnseen(
  { span, losses = [], isFollowedByTool, isKnown }: ReadSpan,
  later: readonly ReadSpan[],
  byId: ReadonlyMap<string, ReadSpan>,
  { lose }: SpanTraceBuilder,
): void {
  const place = `span ${span.spanId}`;
  for (const { channels, reason } of losses) lose(channels, reason, place);
  for (const reason of span.lost) lose(lost.everything, reason, place);
  if (isKnown) for (const { channels, reason } of cutAttributes(span)) lose(channels, reason, place);
  const { parentSpanId } = span;
  if (parentSpanId !== undefined && !byId.has(parentSpanId) && !span.hasRemoteParent) {
    lose(lost.everything, `the span ${parentSpanId} around it did not arrive`, place);
  }
  const next = later.find(({ tool, request }) => tool !== undefined || request !== undefined);
  if (isFollowedByTool && !next?.tool) lose(lost.call, 'a request ended with calls that no span shows', place);
}

/** A sum over requests that is larger than they are: one of them is missing. */
function checkTotal(
  { span, request: sum }: ReadSpan,
  read: readonly ReadSpan[],
  byId: ReadonlyMap<string, ReadSpan>,
  { lose }: SpanTraceBuilder,
): void {
  const inside = read.filter((each) => each.span !== span && hasFigures(each) && isInside(each, span, byId));
  // A client may report the very request that its library reports inside it.
  const innermost = inside.filter(
    (each) => !inside.some((other) => other !== each && isInside(other, each.span, byId)),
  );
  if (!sum || innermost.length === 0) return;
  const place = `span ${span.spanId}`;
  const [tokens, cost] = [totalTokensOf(sum.usage.usage ?? {}), figureOf(sum.costUsd)];
  const known = innermost.map((each) => totalTokensOf(each.request?.usage.usage ?? {}) ?? 0).reduce(plus, 0);
  if (tokens !== undefined && tokens > known) {
    lose(lost.usage, `a span reports ${tokens} tokens, and the requests in it ${known}`, place);
  }
  const spent = innermost.map((each) => figureOf(each.request?.costUsd) ?? 0).reduce(plus, 0);
  if (cost !== undefined && cost > spent * 1.01 + 1e-6) {
    lose(lost.cost, `a span reports $${cost}, and the requests in it $${spent}`, place);
  }
}

function plus(a: number, b: number): number {
  return a + b;
}

function isInside(inner: ReadSpan, outer: OtlpSpan, byId: ReadonlyMap<string, ReadSpan>): boolean {
  return ancestorsOf(inner, byId).some(({ span }) => span === outer);
}

/** The spans around a span, the nearest first; none where spans are each other's parents. */
function ancestorsOf(inner: ReadSpan, byId: ReadonlyMap<string, ReadSpan>): ReadSpan[] {
  const path = new Set<ReadSpan>();
  for (let outer = parentOf(inner, byId); outer; outer = parentOf(outer, byId)) {
    if (outer === inner) return [];
    if (path.has(outer)) break;
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
  readonly #called = new Map<string, { readonly tool: string; readonly input: unknown }>();
  readonly #answered = new Set<string>();
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
    this.#chat.finish();
    return this.#collector.finish();
  }

  #addTool({ name: tool, callId: id, input, result, error, part }: SpanTool, span: OtlpSpan): void {
    const { startMs, endMs, isFailed, statusMessage } = span;
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
      if (before) this.lose([...lost.call, ...lost.result], `there are two calls with the id ${event.callId}`);
      this.#called.set(event.callId, event);
    } else if (event.type === 'tool-result') {
      if (this.#answered.has(event.callId)) return;
      this.#answered.add(event.callId);
    }
    this.#collector.emit(event);
  }
}
