import type { TrialRecord } from '../../../domain/record.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { sha256 } from '../../../shared/ids.ts';
import { type Attribute, type AttributeValues, attributesOf, shortText } from './attributes.ts';
import { chatSpans, providerOf } from './chat-spans.ts';
import { evaluationsOf } from './evaluation-events.ts';
import { type SpanDraft, spanKind } from './span-draft.ts';
import { processSpans, serverSpans, toolSpans } from './tool-spans.ts';

/** A span as OTLP/JSON writes it. */
interface Span {
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

const longestName = 200;

/** The spans of a trial: one for all of it, which has what was said of it, and one for each step. */
export function trialSpans(record: TrialRecord, trace: Trace): Span[] {
  const traceId = sha256(`trace ${record.trialId}`).slice(0, 32);
  const spanIdOf = (number: number): string => sha256(`span ${number} ${record.trialId}`).slice(0, 16);
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
  const events = evaluationsOf(record).map((values) => ({
    timeUnixNano: nano(endMs),
    name: 'gen_ai.evaluation.result',
    attributes: attributesOf(values),
  }));
  const root = spanOf(rootDraft(record, trace, endMs), 0);
  return [{ ...root, events }, ...drafts.map((draft, index) => spanOf(draft, index + 1))];
}

function rootDraft(record: TrialRecord, trace: Trace, endMs: number): SpanDraft {
  const { variant, outcome, reason, fault } = record;
  const agent = variant.agent ?? variant.connector;
  const isBroken = outcome === 'error';
  return {
    name: agent === undefined ? `trial ${record.scenario}` : `invoke_agent ${agent}`,
    startMs: 0,
    endMs,
    attributes: { ...agentAttributes(record, trace), ...trialAttributes(record) },
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
  const { scenario, caseId, repeat, variant, outcome, trialId, file, costUsd } = record;
  return {
    'assay.trial.id': trialId,
    'assay.scenario': scenario,
    'assay.file': file,
    'assay.case': caseId,
    'assay.repeat': repeat,
    'assay.outcome': outcome,
    'assay.cost_usd': costUsd === null ? undefined : { double: costUsd },
    'assay.guidance': variant.guidance,
    'assay.persona': variant.persona,
    'assay.description': variant.description,
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
