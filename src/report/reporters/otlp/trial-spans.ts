import { marksOf } from '../../../domain/marks.ts';
import type { EvaluatorResult } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { eachTracedTrial } from '../../../keep/store/store.ts';
import { sha256 } from '../../../shared/ids.ts';
import type { StoredRun } from '../reporter.ts';
import {
  type Attribute,
  type AttributeValues,
  attributesOf,
  type SpanDraft,
  shortText,
  spanKind,
} from './attributes.ts';
import { chatSpans, providerOf } from './chat-spans.ts';
import { coverageAttributes, gapSpanEvents } from './coverage-attributes.ts';
import { processSpans, serverSpans, toolSpans } from './tool-spans.ts';

/** Each trial as a line with its own trace; one trace at a time is in memory. */
export async function* tracesOf({ store, summary }: StoredRun): AsyncGenerator<string, void> {
  const { runId } = summary.run;
  for await (const { record, readTrace } of eachTracedTrial(store, runId)) {
    const trace = await readTrace();
    const spans = spansWithResults(trialTelemetry(record, trace));
    yield `${JSON.stringify(tracesMessage(summary.run, spans))}\n`;
  }
}

/** The body of a request to `/v1/traces`, as OTLP/JSON has it. */
export function tracesMessage(run: RunHeader, spans: readonly Span[]): object {
  const { resource, scope } = sourceOf(run);
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] };
}

/** The body of a request to `/v1/logs`, as OTLP/JSON has it. */
export function logsMessage(run: RunHeader, logRecords: readonly LogRecord[]): object {
  const { resource, scope } = sourceOf(run);
  return { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] };
}

function sourceOf({ runId, assayVersion: version, request }: RunHeader) {
  const attributes = attributesOf({
    'service.name': 'assay',
    'service.version': version,
    'assay.run.id': runId,
    'assay.run.name': request.name,
  });
  return { resource: { attributes }, scope: { name: 'assay', version } };
}

interface Evaluation {
  readonly name: string;
  /** `pass`, `fail`, `error`, `skipped` or `pending`; none for a figure, which neither passes nor fails. */
  readonly label?: string | undefined;
  readonly value?: number | undefined;
  readonly explanation?: string | undefined;
  readonly errorType?: string | undefined;
  readonly more?: AttributeValues;
}

/** The verdicts on a trial, as attributes of `gen_ai.evaluation.result`: its outcome first. */
function evaluationsOf(record: TrialRecord): AttributeValues[] {
  const { outcome, reason, fault, evaluatorResults, metrics, toolHealth } = record;
  const errorType = outcome === 'error' ? (fault?.code ?? '_OTHER') : undefined;
  const evaluations: Evaluation[] = [
    { name: 'outcome', label: outcome, value: scoreOf(outcome), explanation: reason, errorType },
    ...evaluatorResults.filter(isReported).map(evaluationOf),
    ...Object.entries(metrics).flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
    ...toolHealth.map(({ testName, toolName, state, score, details }) => ({
      name: testName,
      label: state,
      value: state === 'error' ? undefined : score,
      explanation: details,
      errorType: state === 'error' ? '_OTHER' : undefined,
      more: { 'gen_ai.tool.name': toolName },
    })),
  ];
  return evaluations.map(attributesOfEvaluation);
}

/** Metrics that could be measured are reported by their own names instead. */
function isReported({ kind, state }: EvaluatorResult): boolean {
  return kind === 'assertion' || state === 'error';
}

function evaluationOf({ type, kind, state, value, reason, turn, fault }: EvaluatorResult): Evaluation {
  return {
    name: type,
    label: state,
    value: kind === 'metric' || state === 'error' ? undefined : (value ?? scoreOf(state)),
    explanation: reason,
    errorType: state === 'error' ? (fault?.code ?? '_OTHER') : undefined,
    more: { 'assay.turn': turn },
  };
}

/** A result that could not be judged has no score. */
function scoreOf(state: string): number | undefined {
  return state === 'pass' ? 1 : state === 'fail' ? 0 : undefined;
}

function attributesOfEvaluation({ name, label, value, explanation, errorType, more }: Evaluation): AttributeValues {
  return {
    'gen_ai.evaluation.name': name,
    'gen_ai.evaluation.score.label': label,
    'gen_ai.evaluation.score.value': value === undefined ? undefined : { double: value },
    'gen_ai.evaluation.explanation': explanation,
    'error.type': errorType,
    ...more,
  };
}

/** A span as OTLP/JSON writes it. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events?: readonly object[];
  readonly status: { readonly code?: number; readonly message?: string };
}

/** A verdict as an event: a log record that belongs to the span of the trial. */
export interface LogRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  readonly severityNumber: number;
  readonly eventName: string;
  readonly attributes: readonly Attribute[];
}

/** A trial as OpenTelemetry knows it: a span for all of it, one for each step, and an event for each verdict. */
export interface TrialTelemetry {
  readonly spans: readonly Span[];
  readonly results: readonly LogRecord[];
}

const longestName = 200;
const resultEvent = 'gen_ai.evaluation.result';
/** INFO, as OTLP numbers severities. */
const severityNumber = 9;

/** The spans with the verdicts as events of the first, for files and for servers that take no log records. */
export function spansWithResults({ spans, results }: TrialTelemetry): Span[] {
  const events = results.map(({ timeUnixNano, attributes }) => ({ timeUnixNano, name: resultEvent, attributes }));
  return spans.map((span, index) => (index === 0 ? { ...span, events: [...(span.events ?? []), ...events] } : span));
}

/** The same ids whenever it is made of the same trial, so a receiver can recognise what it has. */
export function trialTelemetry(record: TrialRecord, trace: Trace): TrialTelemetry {
  // A trial that is run again has the same id.
  const identity = `${record.trialId} ${record.startedAt}`;
  const traceId = sha256(`trace ${identity}`).slice(0, 32);
  const spanIdOf = (number: number): string => sha256(`span ${number} ${identity}`).slice(0, 16);
  const nano = (ms: number): string => nanoseconds(record.startedAt, ms);
  const { model } = record.variant;
  const drafts = [...chatSpans(trace, model), ...toolSpans(trace), ...processSpans(trace), ...serverSpans(trace)];
  drafts.sort((a, b) => a.startMs - b.startMs);
  const endMs = drafts.reduce((latest, draft) => Math.max(latest, draft.endMs), record.durationMs ?? 0);
  const spanOf = (draft: SpanDraft, number: number): Span => ({
    traceId,
    spanId: spanIdOf(number),
    ...(number > 0 && { parentSpanId: spanIdOf(0) }),
    name: shortText(draft.name, longestName),
    kind: draft.kind ?? spanKind.internal,
    startTimeUnixNano: nano(draft.startMs),
    endTimeUnixNano: nano(Math.max(draft.startMs, draft.endMs)),
    attributes: attributesOf({ ...draft.attributes, 'error.type': draft.error?.type }),
    status: draft.error ? { code: 2, message: shortText(draft.error.message) } : {},
  });
  const results = evaluationsOf(record).map((values, index) => ({
    traceId,
    spanId: spanIdOf(0),
    timeUnixNano: nano(endMs),
    observedTimeUnixNano: nano(endMs),
    severityNumber,
    eventName: resultEvent,
    attributes: attributesOf({ ...values, 'event.sequence': index }),
  }));
  const gaps = gapSpanEvents(trace, nano);
  const root = { ...spanOf(rootDraft(record, trace, endMs), 0), ...(gaps.length > 0 && { events: gaps }) };
  return { spans: [root, ...drafts.map((draft, index) => spanOf(draft, index + 1))], results };
}

function rootDraft(record: TrialRecord, trace: Trace, endMs: number): SpanDraft {
  const { variant, outcome, reason, fault } = record;
  const agent = variant.agent ?? variant.connector;
  const isBroken = outcome === 'error';
  return {
    name: agent === undefined ? `trial ${record.scenario}` : `invoke_agent ${agent}`,
    startMs: 0,
    endMs,
    attributes: { ...agentAttributes(record, trace), ...trialAttributes(record), ...coverageAttributes(record) },
    error: isBroken ? { type: fault?.code ?? '_OTHER', message: reason } : undefined,
  };
}

function agentAttributes({ variant, usage, trialId }: TrialRecord, trace: Trace): AttributeValues {
  const { agent, connector, model } = variant;
  const name = agent ?? connector;
  return {
    ...(name !== undefined && { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name }),
    'gen_ai.agent.version': eventsOf(trace, 'agent-started')[0]?.version,
    'gen_ai.provider.name': providerOf(model),
    'gen_ai.request.model': model,
    'gen_ai.conversation.id': connector === undefined ? undefined : trialId,
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
  };
}

function trialAttributes(record: TrialRecord): AttributeValues {
  const { scenario, caseId, repeat, variant, outcome, trialId, file, costUsd, cachedFrom, hasReusedVerdict } = record;
  return {
    'assay.trial.id': trialId,
    'assay.reused_from': cachedFrom,
    'assay.reused_verdict': hasReusedVerdict,
    'assay.marks': marksOf(record).join(' ') || undefined,
    'assay.scenario': scenario,
    'assay.file': file,
    'assay.case': caseId,
    'assay.repeat': repeat,
    'assay.outcome': outcome,
    'assay.cost_usd': costUsd === null ? undefined : { double: costUsd },
    'assay.guidance': variant.guidance,
    'assay.skills': variant.skills,
    'assay.harness': variant.harness,
    'assay.persona': variant.persona,
    'assay.description': variant.description,
    'assay.surface': variant.surface,
    'assay.attack': variant.attack,
    'assay.faults': variant.faults,
    'assay.approvals': variant.approvals,
    'test.suite.name': scenario,
    'test.case.name': caseId,
    'test.case.result.status': outcome === 'pass' || outcome === 'fail' ? outcome : undefined,
  };
}

/** The time of a moment in a trial; a clock that went wrong gives the beginning of all clocks. */
function nanoseconds(startedAt: number, ms: number): string {
  const wholeMs = Math.max(0, Math.floor(startedAt));
  if (!Number.isSafeInteger(wholeMs) || !Number.isFinite(ms)) return '0';
  return String(BigInt(wholeMs) * 1_000_000n + BigInt(Math.max(0, Math.round(ms * 1e6))));
}
