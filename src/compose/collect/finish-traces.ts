import { setImmediate as nextTurn } from 'node:timers/promises';
import { AssayError } from '../../domain/errors.ts';
import { faultOf } from '../../domain/outcome.ts';
import type { TraceEvent } from '../../domain/trace.ts';
import type { NewJudgement } from '../../keep/spool/judgement-queue.ts';
import type { DueTrace, SpanSpool } from '../../keep/spool/span-spool.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';
import type { OtlpSpan } from '../../load/imports/formats/otlp/otlp-span.ts';
import type { ImportedTrial } from '../../load/imports/import-format.ts';
import { finishedTrial, withExcerpt } from '../../load/imports/imported-record.ts';
import { lost } from '../../load/imports/losses.ts';
import { counted } from '../../shared/format.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { type Redact, redactDeep } from '../../shared/redaction/redaction.ts';
import type { SampleRule } from '../config/collect-config.ts';
import { isSampled } from '../rules/sampling.ts';
import type { TraceRules } from '../rules/trace-rules.ts';
import { type CollectedRuns, collectedFile, type TrialPlace } from './collected-runs.ts';
import { collectedTrial, spansOfTrace } from './collected-trace.ts';

interface FinishingContext {
  readonly spool: SpanSpool;
  readonly runs: CollectedRuns;
  readonly store: Store;
  readonly sample: readonly SampleRule[];
  readonly rules: Pick<TraceRules, 'judgementsOf' | 'reopen' | 'verdictsOf'> | undefined;
  readonly redact: Redact;
}

interface MadeTrial {
  readonly due: DueTrace;
  readonly trial: ImportedTrial;
  readonly spans: readonly OtlpSpan[];
}

/** Requests are answered between traces when making them takes longer than this. */
const longestTurnMs = 8;

/**
 * Makes traces into trials. The place of a trial is durable before the trial is, and the trace is settled after it, so
 * a crash in between makes the same trial again.
 */
export async function finishTraces(
  due: readonly DueTrace[],
  context: FinishingContext,
): Promise<{ readonly trials: number; readonly dropped: number }> {
  const { spool, sample } = context;
  const made: MadeTrial[] = [];
  const unsampled: number[] = [];
  let turnBegan = performance.now();
  for (const trace of due) {
    const spans = spansOfTrace(spool.spansOf(trace.traceNo));
    // A trace that has a trial keeps it, whatever late spans would change in the rules.
    if (trace.place === null && !isSampled(sample, trace.traceId, spans)) unsampled.push(trace.traceNo);
    else {
      const trial = collectedTrial(trace, spans);
      if (trial) made.push({ due: trace, trial, spans });
    }
    if (performance.now() - turnBegan < longestTurnMs) continue;
    await nextTurn();
    turnBegan = performance.now();
  }
  const judgements = await storeTrials(made, context);
  // No verdict stands unmarked beside a trace that it did not see.
  await context.rules?.reopen(judgements);
  if (unsampled.length > 0) await spool.close(unsampled);
  const settled = due.filter(({ traceNo }) => !unsampled.includes(traceNo));
  await spool.settle(settled, judgements);
  return { trials: made.length, dropped: due.length - made.length };
}

/** Stores trials, and gives the rules that each of them waits for. */
async function storeTrials(
  made: readonly MadeTrial[],
  { runs, store, redact, rules }: FinishingContext,
): Promise<NewJudgement[]> {
  const judgements: NewJudgement[] = [];
  const collectedAt = (each: MadeTrial, place: TrialPlace): FinishedTrial => {
    const finished = collected(each, place, redact);
    const isReopened = each.due.place !== null;
    const { trialId } = finished.record;
    const waiting = rules?.judgementsOf(each.due.traceId, trialId, each.spans) ?? [];
    judgements.push(...waiting.map((judgement) => ({ ...judgement, isReopened })));
    return finished;
  };
  const fresh = made.filter(({ due }) => due.place === null);
  if (fresh.length > 0) {
    await runs.open(Date.now());
    const places = await runs.place(fresh.map(placeRequest));
    await store.saveTrials(fresh.map((each, index) => collectedAt(each, places[index] as TrialPlace)));
  }
  const again = made.filter(({ due }) => due.place !== null);
  if (again.length === 0) return judgements;
  const placed = again.map((each) => ({ ...each, place: JSON.parse(each.due.place ?? '') as TrialPlace }));
  const removed = await removedRuns(
    placed.map(({ place }) => place.runId),
    store,
  );
  const kept = placed.filter(({ place }) => !removed.has(place.runId));
  const replaced = kept.map((each) => collectedAt(each, each.place));
  await store.replaceTrials(replaced);
  for (const [index, { due }] of kept.entries()) {
    // Late spans may take a trace out of a rule that has judged it.
    judgements.push(...((await rules?.verdictsOf(due.traceId, replaced[index]?.record.trialId ?? '')) ?? []));
  }
  return judgements;
}

/** Marks trials whose spans are gone and that further spans came for: it is unknown what those would have changed. */
export async function markOvertaken(traces: readonly DueTrace[], context: FinishingContext): Promise<void> {
  const { spool, store, rules } = context;
  const judgements: NewJudgement[] = [];
  for (const { traceId, place, refused } of traces) {
    const trialId = collectedTrialId((JSON.parse(place ?? '{}') as TrialPlace).runId, traceId);
    const [record, trace] = [await store.findTrial(trialId), await store.readTrace(trialId)];
    if (!record || !trace) continue;
    await store.replaceTrials([incompleteTrial({ record, trace }, refused)]);
    judgements.push(...((await rules?.verdictsOf(traceId, trialId)) ?? []));
  }
  await rules?.reopen(judgements);
  await spool.settleOvertaken(traces, judgements);
}

function incompleteTrial({ record, trace }: FinishedTrial, spans: number): FinishedTrial {
  const reason = `${counted(spans, 'span')} came after the trace was closed`;
  const fault = faultOf(new AssayError('TRACE_INCOMPLETE', `Refused: ${reason}.`));
  const at = trace.at(-1)?.at ?? 0;
  const gap: TraceEvent = { type: 'gap', at, seenBy: 'engine', channels: [...lost.everything], reason };
  return { record: { ...record, outcome: 'error', reason: fault.message, fault }, trace: [...trace, gap] };
}

/** Trials of a run that was removed in the meantime stay removed. */
async function removedRuns(runIds: readonly string[], store: Store): Promise<ReadonlySet<string>> {
  const removed = new Set<string>();
  for (const runId of new Set(runIds)) if (!(await store.findRun(runId))) removed.add(runId);
  return removed;
}

function placeRequest({ due, trial }: MadeTrial): Parameters<CollectedRuns['place']>[0][number] {
  const scenario = trial.scenario ?? trial.variant.agent ?? 'traces';
  const caseId = trial.caseId ?? due.traceId;
  // Ids of traces are unique; cases that are named come again.
  const isNamed = !caseId.endsWith(due.traceId) && !caseId.endsWith(`/${due.traceId.slice(0, 8)}`);
  const key = isNamed ? canonicalJson([scenario, caseId, trial.variant]) : '';
  return { traceNo: due.traceNo, scenario, caseId, key, repeat: trial.repeat };
}

function collectedTrialId(runId: string, traceId: string): string {
  return `t-${sha256(`${runId} ${traceId}`).slice(0, 20)}`;
}

function collected({ due, trial, spans }: MadeTrial, place: TrialPlace, redact: Redact): FinishedTrial {
  const { record, trace } = finishedTrial(trial, {
    ...place,
    file: collectedFile,
    variant: trial.variant,
    usualStart: due.lastAt,
  });
  const trialId = collectedTrialId(place.runId, due.traceId);
  const root = spans.find(({ parentSpanId }) => parentSpanId === undefined) ?? spans[0];
  const sourceSpan = { traceId: due.traceId, spanId: root?.spanId ?? '' };
  const finished = withExcerpt(redactDeep({ record: { ...record, trialId }, trace }, redact));
  return { ...finished, record: { ...finished.record, sourceSpan } };
}
