import { marksOf } from '../../../domain/marks.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { shortReason } from '../../../report/compare/grid/listed-trial.ts';
import { namingInput } from '../../../report/presentation/case-name.ts';
import type { TrialItem } from '../api/runs.ts';

/** A record as lists show it. */
export function recordItem(record: TrialRecord): TrialItem {
  const { trialId, runId, ordinal, scenario, file, caseId, variant, repeat, outcome } = record;
  const { reason, startedAt, durationMs, costUsd, usage, fault } = record;
  return {
    trialId,
    runId,
    ordinal,
    scenario,
    file,
    caseId,
    variant,
    repeat,
    outcome,
    reason: shortReason(reason),
    faultCode: fault?.code ?? null,
    startedAt,
    durationMs,
    costUsd,
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    input: namingInput(record),
    marks: marksOf(record),
  };
}
