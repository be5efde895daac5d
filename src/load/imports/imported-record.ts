import type { EvaluatorResult } from '../../domain/outcome.ts';
import type { TrialFindings, TrialRecord } from '../../domain/record.ts';
import { sumOf } from '../../domain/spend.ts';
import { eventsOf } from '../../domain/trace.ts';
import type { FinishedTrial } from '../../keep/store/store.ts';
import { contentKey } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { ImportedTrial } from './import-format.ts';
import type { TrialIdentity } from './import-plan.ts';

/** Where in which run a trial stands. */
export interface TrialPlace extends TrialIdentity {
  readonly runId: string;
  readonly ordinal: number;
  /** When nothing says when the trial was. */
  readonly usualStart: number;
}

/** An imported trial as the store keeps it. What its file says of success is its outcome; without that it has none. */
export function finishedTrial(trial: ImportedTrial, place: TrialPlace): FinishedTrial {
  const { runId, ordinal, scenario, file, caseId, variant, repeat } = place;
  const key = contentKey([runId, file, scenario, caseId, canonicalJson(variant), String(repeat)]);
  const results = [importedResult(trial)];
  const record: TrialRecord = {
    trialId: `t-${key}`,
    runId,
    ordinal,
    scenario,
    file,
    caseId,
    variant,
    repeat,
    ...outcomeOf(trial),
    startedAt: Math.round(trial.startedAt ?? place.usualStart),
    durationMs: amountOrNull(trial.durationMs),
    ...spent(trial),
    ...nothingFound(),
    metrics: { ...trial.metrics },
    evaluatorResults: results,
    ...trial.findings,
    fault: trial.fault ?? trial.findings?.fault ?? null,
  };
  return { record, trace: trial.trace };
}

/** A recorded verdict counts more than how the agent ended; a trial without either has not been judged yet. */
function outcomeOf({ verdict, fault }: ImportedTrial): Pick<TrialRecord, 'outcome' | 'reason'> {
  if (verdict) return { outcome: verdict.state, reason: verdict.reason };
  return fault ? { outcome: 'error', reason: fault.message } : { outcome: 'skipped', reason: noVerdict };
}

const noVerdict = 'nothing says whether it passed';

function importedResult({ verdict }: ImportedTrial): EvaluatorResult {
  const state = verdict?.state ?? 'skipped';
  const value = verdict?.value;
  return {
    type: 'imported',
    kind: 'assertion',
    state,
    success: state === 'pass',
    ...(value !== undefined && { value }),
    reason: verdict?.reason ?? noVerdict,
  };
}

function nothingFound(): Omit<TrialFindings, 'evaluatorResults' | 'metrics' | 'fault'> {
  const lists = { gates: [], scripts: [], turns: [], toolHealth: [], workflow: [] };
  const single = { criteria: null, judge: null, interaction: null, workflowScore: null, toolPins: null };
  return { ...lists, ...single, compositeScore: null, artifacts: null, toolError: null, cachedFrom: null };
}

const largestAmount = 2 ** 31 - 1;

/** What a damaged file says may be without bounds, which no store keeps. */
function bounded(amount: number): number {
  return Math.min(largestAmount, Math.max(0, amount));
}

function amountOrNull(amount: number | null | undefined): number | null {
  return amount == null || Number.isNaN(amount) ? null : bounded(amount);
}

/** Tokens are whole; where the file tells a cost of its own, that is it. */
function spent({ trace, costUsd, usage }: ImportedTrial): Pick<TrialRecord, 'costUsd' | 'usage'> {
  const requests = eventsOf(trace, 'usage');
  const sum = (pick: (request: (typeof requests)[number]) => number): number =>
    bounded(requests.reduce((total, request) => total + Math.max(0, pick(request) || 0), 0));
  const tokens = {
    inputTokens: Math.round(sum(({ inputTokens }) => inputTokens)),
    outputTokens: Math.round(sum(({ outputTokens }) => outputTokens)),
  };
  const isTold = requests.some(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0);
  return {
    costUsd: amountOrNull(
      costUsd ?? (requests.length === 0 ? null : sumOf(requests.map((request) => request.costUsd ?? null))),
    ),
    usage: usage ?? (isTold ? tokens : null),
  };
}
