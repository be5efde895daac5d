import { AssayError } from '../../domain/errors.ts';
import { faultOf } from '../../domain/outcome.ts';
import type { DueTrace } from '../../keep/spool/span-spool.ts';
import { resourceSpansOf } from '../../load/collect/read-export.ts';
import { nameOf } from '../../load/imports/coerce.ts';
import { type OtlpSpan, spansIn } from '../../load/imports/formats/otlp/otlp-span.ts';
import { trialOfTrace } from '../../load/imports/formats/otlp/otlp-trial.ts';
import type { ImportedTrial } from '../../load/imports/import-format.ts';
import { counted } from '../../shared/format.ts';

/** A span as the spool has it. */
interface KeptSpan {
  readonly origin: string;
  readonly body: string;
}

/** The spans of a trace, as files have them. */
export function spansOfTrace(kept: readonly KeptSpan[]): OtlpSpan[] {
  return kept.flatMap((span) => spansIn(resourceSpansOf(span), 1).spans);
}

/**
 * The trial of a collected trace; undefined where no span is about a model, a tool or an agent. It could not be judged
 * where spans are known to be missing.
 */
export function collectedTrial(
  { traceId, refused }: Pick<DueTrace, 'traceId' | 'refused'>,
  spans: readonly OtlpSpan[],
): ImportedTrial | undefined {
  const session = sessionOf(spans);
  const trial = trialOfTrace(spans, session === undefined ? traceId : `${session}/${traceId.slice(0, 8)}`);
  if (!trial || refused === 0) return trial;
  const message = `Refused of the trace, as too many, not valid or contradictory: ${counted(refused, 'span')}.`;
  return { ...trial, verdict: undefined, fault: faultOf(new AssayError('TRACE_INCOMPLETE', message)) };
}

const sessionNames = ['session.id', 'gen_ai.conversation.id', 'langfuse.session.id', 'conversation.id'];

function sessionOf(spans: readonly OtlpSpan[]): string | undefined {
  for (const name of sessionNames) {
    for (const { attributes } of spans) {
      const session = nameOf(attributes[name]);
      if (session !== undefined) return session;
    }
  }
  return undefined;
}
