import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewJudgement } from '../../keep/spool/judgement-queue.ts';
import type { DueTrace, SpanSpool } from '../../keep/spool/span-spool.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';
import type { OtlpSpan } from '../../load/imports/formats/otlp/otlp-span.ts';
import type { ImportedTrial } from '../../load/imports/import-format.ts';
import { finishedTrial } from '../../load/imports/imported-record.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { type Redact, redactDeep } from '../../shared/redaction/redaction.ts';
import type { TraceRules } from '../rules/trace-rules.ts';
import type { SampleRule } from './collect-config.ts';
import { type CollectedRuns, collectedFile, type TrialPlace } from './collected-runs.ts';
import { collectedTrial, spansOfTrace } from './collected-trace.ts';
import { isSampled } from './sampling.ts';

interface FinishingContext {
  readonly spool: SpanSpool;
  readonly runs: CollectedRuns;
  readonly store: Store;
  readonly sample: readonly SampleRule[];
  readonly rules: Pick<TraceRules, 'judgementsOf'> | undefined;
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
    judgements.push(...(rules?.judgementsOf(each.due.traceId, finished.record.trialId, each.spans) ?? []));
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
  await store.replaceTrials(kept.map((each) => collectedAt(each, each.place)));
  return judgements;
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

function collected({ due, trial, spans }: MadeTrial, place: TrialPlace, redact: Redact): FinishedTrial {
  const { record, trace } = finishedTrial(trial, {
    ...place,
    file: collectedFile,
    variant: trial.variant,
    usualStart: due.lastAt,
  });
  const trialId = `t-${sha256(`${place.runId} ${due.traceId}`).slice(0, 20)}`;
  const root = spans.find(({ parentSpanId }) => parentSpanId === undefined) ?? spans[0];
  const sourceSpan = { traceId: due.traceId, spanId: root?.spanId ?? '' };
  const finished = redactDeep({ record: { ...record, trialId }, trace }, redact);
  return { ...finished, record: { ...finished.record, sourceSpan } };
}
