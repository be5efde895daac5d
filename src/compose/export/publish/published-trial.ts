import { marksOf } from '../../../domain/marks.ts';
import type { EvaluatorResult } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { Case } from '../../../domain/scenario.ts';
import type { Trace } from '../../../domain/trace.ts';
import { variantText } from '../../../domain/variant-text.ts';
import { trialContent } from '../../../report/reporters/exchange/trial-content.ts';
import { type TrialTelemetry, trialTelemetry } from '../../../report/reporters/otlp/trial-spans.ts';
import { sha256 } from '../../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../../shared/json.ts';

/** A case as datasets have it. */
export interface PublishedItem {
  /** The same for the same case with the same input, in every run. */
  readonly id: string;
  readonly input: unknown;
  readonly expected: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A verdict or a figure of a trial. One without a value could not be judged, and has no score. */
export interface PublishedScore {
  readonly name: string;
  readonly kind: 'verdict' | 'figure';
  readonly value: number | null;
  readonly label?: string | undefined;
  readonly explanation?: string | undefined;
}

/** A trial as experiments have it. */
export interface PublishedTrial {
  readonly trialId: string;
  /** Who did it; empty for a tool that is called directly. */
  readonly variant: string;
  readonly repeat: number;
  readonly item: PublishedItem;
  readonly output: unknown;
  /** Why it could not be judged. */
  readonly error: string | null;
  readonly scores: readonly PublishedScore[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly usage: TrialRecord['usage'];
  readonly costUsd: number | null;
  readonly telemetry: TrialTelemetry;
}

/** `written`: the case as its file has it, where that is unchanged. */
export function publishedTrial(record: TrialRecord, trace: Trace, written: Case | undefined): PublishedTrial {
  const { scenario, file, caseId, variant, repeat, outcome, reason, fault, trialId, startedAt } = record;
  const { input = null, output } = trialContent(record, trace);
  const own = isRecord(written?.metadata) ? written.metadata : {};
  return {
    trialId,
    variant: variantText(variant),
    repeat,
    item: {
      id: `assay-${sha256(canonicalJson([file, scenario, caseId, input])).slice(0, 32)}`,
      input,
      expected: written?.expected ?? written?.expectedBehavior ?? null,
      metadata: { ...own, scenario, case: caseId },
    },
    output,
    error: outcome === 'error' || outcome === 'skipped' ? `${fault?.code ?? outcome}: ${reason}` : null,
    scores: scoresOf(record),
    // Readers there are to see what the verdict does not rest on.
    metadata: { scenario, case: caseId, ...variant, repeat, outcome, reason, marks: marksOf(record), trialId },
    startedAt,
    durationMs: record.durationMs ?? 0,
    usage: record.usage,
    costUsd: record.costUsd,
    telemetry: trialTelemetry(record, trace),
  };
}

/** The outcome first; an assertion or a figure that occurs several times is numbered, because names are keys there. */
function scoresOf({ outcome, reason, evaluatorResults, metrics, toolHealth }: TrialRecord): PublishedScore[] {
  const scores: PublishedScore[] = [
    verdict('outcome', outcome, reason),
    ...evaluatorResults.filter(({ kind }) => kind === 'assertion').map(verdictOf),
    ...toolHealth.map(({ testName, state, score, details }) => ({
      ...verdict(testName, state, details),
      ...(state !== 'error' && { value: score }),
    })),
    ...Object.entries(metrics).map(([name, value]) => ({ name, kind: 'figure' as const, value })),
  ];
  const counts = new Map<string, number>();
  return scores.map((score) => {
    const count = (counts.get(score.name) ?? 0) + 1;
    counts.set(score.name, count);
    return count === 1 ? score : { ...score, name: `${score.name} ${count}` };
  });
}

function verdictOf({ type, name, id, state, value, reason, turn }: EvaluatorResult): PublishedScore {
  const called = id ?? name ?? type;
  const decided = verdict(turn === undefined ? called : `${called}, turn ${turn}`, state, reason);
  return decided.value === null || value === undefined ? decided : { ...decided, value };
}

function verdict(name: string, state: string, explanation: string): PublishedScore {
  return {
    name,
    kind: 'verdict',
    value: state === 'pass' ? 1 : state === 'fail' ? 0 : null,
    label: state,
    explanation,
  };
}
