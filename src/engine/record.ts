import { decideOutcome } from '../domain/outcome.ts';
import type { TrialFindings } from '../domain/record.ts';
import type { Trial } from '../domain/trial.ts';
import type { FinishedTrial } from '../store/store.ts';
import type { Execution } from './execute.ts';

/** Everything that is known of a finished trial, as the store keeps it. */
export function recordOf(trial: Trial, execution: Execution, findings: Omit<TrialFindings, 'fault'>): FinishedTrial {
  return {
    trace: execution.trace,
    record: {
      trialId: trial.trialId,
      runId: trial.runId,
      ordinal: trial.ordinal,
      scenario: trial.scenario.name,
      file: trial.scenario.file,
      caseId: trial.case.caseId,
      variant: trial.variant,
      repeat: trial.repeat,
      ...decideOutcome(findings.evaluatorResults, execution.fault),
      startedAt: execution.startedAt,
      durationMs: execution.durationMs,
      costUsd: findings.judge?.costUsd ?? 0,
      usage: findings.judge?.usage ?? null,
      ...findings,
    },
  };
}
