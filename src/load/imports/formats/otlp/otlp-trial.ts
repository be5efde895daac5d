import { AssayError } from '../../../../domain/errors.ts';
import { type Fault, faultOf } from '../../../../domain/outcome.ts';
import type { Trace } from '../../../../domain/trace.ts';
import { gapsIn } from '../../../../domain/trace-coverage/coverage.ts';
import { counted } from '../../../../shared/format.ts';
import { amountOf, figureOf, knownParts, nameOf } from '../../coerce.ts';
import type { ImportedTrial } from '../../import-format.ts';
import type { RecordedVerdict } from '../../score-verdict.ts';
import { spanConventions } from './conventions/index.ts';
import { isLoggedForSpan } from './otlp-logs.ts';
import type { OtlpSpan } from './otlp-span.ts';
import { traceOfSpans } from './span-trace.ts';

/**
 * The trial of one trace's spans; undefined where none of them is about a model, a tool or an agent. `usualCase` is the
 * case of a trace that names none, and `lostParts` are what is known to be missing from it.
 */
export function trialOfTrace(
  unordered: readonly OtlpSpan[],
  usualCase: string,
  lostParts: readonly string[] = [],
): ImportedTrial | undefined {
  return unordered.some(isGenAiSpan) ? trialOfSpans(unordered, usualCase, lostParts) : undefined;
}

/** Whether a span is about a model, a tool or an agent, by a convention that is understood or another one. */
function isGenAiSpan(span: OtlpSpan): boolean {
  const isOther = Object.keys(span.attributes).some((name) => /^(?:llm|ai|traceloop|langsmith)\./.test(name));
  return isOther || spanConventions.some((convention) => convention.recognises(span));
}

function trialOfSpans(unordered: readonly OtlpSpan[], usualCase: string, lostParts: readonly string[]): ImportedTrial {
  const spans = withLoggedEvents([...unordered].sort((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0)));
  const found = (...names: readonly string[]): unknown => firstAttribute(spans, names);
  const root = spans.find(({ parentSpanId }) => parentSpanId === undefined) ?? spans[0];
  const { verdict, metrics } = evaluationIn(spans);
  const agent = nameOf(found('gen_ai.agent.name', 'agent.name')) ?? root?.service;
  const model = nameOf(
    found('gen_ai.request.model', 'gen_ai.response.model', 'llm.model_name', 'ai.model.id', 'model'),
  );
  const repeat = amountOf(found('assay.repeat'));
  const { startedAt, durationMs } = spanTimes(spans);
  const trace = traceOfSpans(spans, lostParts);
  const broken = brokenVerdict(root);
  const fault = showsWork(trace) || broken ? undefined : notUnderstood(spans);
  return {
    line: root?.line ?? 1,
    id: root?.traceId,
    scenario: nameOf(found('assay.scenario', 'test.suite.name')),
    caseId: nameOf(found('assay.case', 'test.case.id', 'test.case.name')) ?? usualCase,
    repeat: repeat !== undefined && Number.isInteger(repeat) && repeat >= 1 ? repeat : undefined,
    variant: knownParts({ agent, model }),
    trace,
    ...(fault && { fault }),
    verdict: unjudgedVerdict(found('assay.outcome'), root) ?? verdict ?? broken,
    startedAt,
    durationMs: gapsIn(trace, 'times').length > 0 ? undefined : durationMs,
    metrics,
  };
}

/** Events that were logged for a span are events of that span. */
function withLoggedEvents(spans: readonly OtlpSpan[]): readonly OtlpSpan[] {
  const ids = new Set(spans.filter((span) => !isLoggedForSpan(span)).map(({ spanId }) => spanId));
  const events = new Map<string, OtlpSpan['events'][number][]>();
  const others = spans.filter((span) => {
    const { parentSpanId = '' } = span;
    if (!isLoggedForSpan(span) || !ids.has(parentSpanId)) return true;
    events.set(parentSpanId, [...(events.get(parentSpanId) ?? []), ...span.events]);
    return false;
  });
  if (events.size === 0) return spans;
  return others.map((span) => ({ ...span, events: [...span.events, ...(events.get(span.spanId) ?? [])] }));
}

/** Whether the trace shows any action of the agent. */
function showsWork(trace: Trace): boolean {
  return trace.some((event) => event.type === 'tool-call' || (event.type === 'message' && event.role === 'assistant'));
}

function notUnderstood(spans: readonly OtlpSpan[]): Fault {
  const prefixes = spans.flatMap(({ attributes }) => Object.keys(attributes).map((name) => name.split('.')[0] ?? ''));
  const families = [...new Set(prefixes)].sort().map((prefix) => knownFamilies[prefix] ?? `${prefix}.*`);
  const message = `No message or tool call was found in ${counted(spans.length, 'span')} with attributes of ${[...new Set(families)].join(', ')}.`;
  return faultOf(new AssayError('TRACE_NOT_UNDERSTOOD', message));
}

const knownFamilies: Readonly<Record<string, string>> = {
  openinference: 'OpenInference',
  llm: 'OpenInference',
  ai: 'Vercel AI SDK',
  traceloop: 'OpenLLMetry',
};

function firstAttribute(spans: readonly OtlpSpan[], names: readonly string[]): unknown {
  for (const name of names) {
    for (const { attributes } of spans) if (attributes[name] !== undefined) return attributes[name];
  }
  return undefined;
}

function spanTimes(spans: readonly OtlpSpan[]): { startedAt?: number; durationMs?: number } {
  const starts = spans.flatMap(({ startMs }) => startMs ?? []);
  const ends = spans.flatMap(({ endMs }) => endMs ?? []);
  const [startedAt] = starts;
  if (startedAt === undefined) return {};
  const endedAt = ends.reduce((latest, end) => Math.max(latest, end), startedAt);
  return { startedAt, durationMs: endedAt - startedAt };
}

/** The outcome `error` of a trial of Assay overrides single assertions. */
function unjudgedVerdict(outcome: unknown, root: OtlpSpan | undefined): RecordedVerdict | undefined {
  if (outcome !== 'error') return undefined;
  return { state: 'error', reason: root?.statusMessage ?? 'could not be judged' };
}

/** A failed trace without an evaluation could not be judged. */
function brokenVerdict(root: OtlpSpan | undefined): RecordedVerdict | undefined {
  if (!root?.isFailed) return undefined;
  return { state: 'error', reason: root.statusMessage ?? `span \`${root.name}\` ended with an error` };
}

function evaluationIn(spans: readonly OtlpSpan[]): {
  verdict: RecordedVerdict | undefined;
  metrics: Record<string, number>;
} {
  const places = spans.flatMap(({ attributes, events }) => [attributes, ...events.map((event) => event.attributes)]);
  const evaluations = places.filter((place) => 'gen_ai.evaluation.name' in place);
  const metrics: Record<string, number> = {};
  let verdict: RecordedVerdict | undefined;
  for (const place of evaluations) {
    const name = nameOf(place['gen_ai.evaluation.name']) ?? 'evaluation';
    const score = figureOf(place['gen_ai.evaluation.score.value']);
    if (score !== undefined) metrics[name] = score;
    const label = nameOf(place['gen_ai.evaluation.score.label']) ?? '';
    const state = /^pass/i.test(label) ? 'pass' : /^fail/i.test(label) ? 'fail' : undefined;
    const why = nameOf(place['gen_ai.evaluation.explanation']);
    if (state && verdict?.state !== 'fail') {
      verdict = { state, reason: why === undefined ? `${name}: ${label}` : `${name}: ${why}`, value: score };
    }
  }
  return { verdict, metrics };
}
