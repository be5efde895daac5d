import type { Trace, UnstampedEvent } from '../../../../domain/trace.ts';
import { canonicalJson } from '../../../../shared/json.ts';
import { ChatTraceBuilder, messageKey, shellCommandOf } from '../../chat-trace.ts';
import { TraceCollector } from '../../trace-collector.ts';
import { emptyReading, type SpanReading, type SpanTool } from './conventions/convention.ts';
import { spanConventions } from './conventions/index.ts';
import type { OtlpSpan } from './otlp-span.ts';

interface ReadSpan extends SpanReading {
  readonly span: OtlpSpan;
}

/** The trace of spans in the order of their times, and `usage: null` where token counts are missing. */
export function traceOfSpans(spans: readonly OtlpSpan[]): { readonly trace: Trace; readonly usage: { usage?: null } } {
  const read = spans.map(readSpan);
  const aroundMessages = spansAround(read, ({ messages }) => messages.length > 0, true);
  const aroundUsage = spansAround(read, ({ usage }) => usage?.inputTokens !== undefined, false);
  const builder = new SpanTraceBuilder();
  for (const { span, messages, tool, usage } of read) {
    builder.add({
      span,
      messages: aroundMessages.has(span) ? [] : messages,
      tool,
      ...(usage && !aroundUsage.has(span) && { usage }),
    });
  }
  return { trace: builder.finish(), usage: builder.usage };
}

function readSpan(span: OtlpSpan): ReadSpan {
  const reading = spanConventions.find((convention) => convention.recognises(span))?.read(span) ?? emptyReading;
  return { span, ...reading };
}

/**
 * Spans that have others inside them which say the same: an agent has the messages and the sum of its requests, and a
 * client may report a request beside its instrumentation. Messages of an agent that works as a tool are not those of
 * the agent around it.
 */
function spansAround(
  read: readonly ReadSpan[],
  has: (reading: ReadSpan) => boolean,
  endsAtTools: boolean,
): ReadonlySet<OtlpSpan> {
  const byId = new Map(read.map((each) => [each.span.spanId, each]));
  const around = new Set<OtlpSpan>();
  for (const inner of read.filter(has)) {
    const path = new Set<OtlpSpan>();
    let outer = parentOf(inner, byId);
    while (outer && !path.has(outer.span) && !around.has(outer.span) && !(endsAtTools && outer.tool)) {
      path.add(outer.span);
      outer = parentOf(outer, byId);
    }
    // Spans that are each other's parents are around nothing.
    if (!path.has(inner.span)) for (const span of path) around.add(span);
  }
  return around;
}

function parentOf({ span }: ReadSpan, byId: ReadonlyMap<string, ReadSpan>): ReadSpan | undefined {
  return span.parentSpanId === undefined ? undefined : byId.get(span.parentSpanId);
}

/** Emits each message and each call once, although every model request repeats the whole conversation. */
class SpanTraceBuilder {
  readonly #collector = new TraceCollector();
  readonly #called = new Map<string, { readonly tool: string; readonly input: unknown }>();
  readonly #answered = new Set<string>();
  readonly #chat = new ChatTraceBuilder({
    setTime: () => undefined,
    emit: (event) => this.#emitOnce(event),
  });
  readonly #emitted = new Map<string, number>();
  #calls = 0;

  add({ span, messages, tool, usage }: ReadSpan): void {
    this.#collector.setTime(span.startMs);
    const times = new Map<string, number>();
    for (const message of messages) {
      const key = messageKey(message);
      const time = (times.get(key) ?? 0) + 1;
      times.set(key, time);
      if (time <= (this.#emitted.get(key) ?? 0)) continue;
      this.#emitted.set(key, time);
      this.#chat.add(message);
    }
    if (tool) this.#addTool(tool, span);
    if (usage) this.#addUsage(usage);
  }

  #addUsage({ inputTokens, outputTokens, model, costUsd }: NonNullable<SpanReading['usage']>): void {
    this.#chat.countUsage({
      inputTokens,
      outputTokens,
      ...(model !== undefined && { model }),
      ...(costUsd !== undefined && { costUsd }),
    });
  }

  get usage(): { readonly usage?: null } {
    return this.#chat.usage;
  }

  finish(): Trace {
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
      if (this.#called.has(event.callId)) return;
      this.#called.set(event.callId, event);
    } else if (event.type === 'tool-result') {
      if (this.#answered.has(event.callId)) return;
      this.#answered.add(event.callId);
    }
    this.#collector.emit(event);
  }
}
