import { AssayError } from '../../domain/errors.ts';
import { faultOf } from '../../domain/outcome.ts';
import { trialFindingsSchema } from '../../domain/record.ts';
import { counted } from '../../shared/format.ts';
import type { FinishedTrial } from '../store/store.ts';
import { completeLostTrials, type LostTrial, takeLostTrials } from './lost-trials.ts';
import type { WorkDatabase } from './work-database.ts';

/** Stores an error for each trial whose every attempt lost its worker, so that the rest of the run can end. */
export async function setLostTrialsAside(
  { db, saveTrials }: WorkDatabase,
  groups: ReadonlyMap<string, string>,
): Promise<LostTrial[]> {
  return db.transaction().execute(async (transaction) => {
    const lost = await takeLostTrials(transaction, [...groups.keys()]);
    if (lost.length === 0) return lost;
    const startedAt = Date.now();
    await completeLostTrials(transaction, lost);
    await saveTrials(
      transaction,
      lost.map((trial) => recordOfLost(trial, groups.get(trial.groupId) ?? '', startedAt)),
    );
    return lost;
  });
}

/** What is stored of a trial that nobody lived to tell about: it could not be judged. */
export function recordOfLost({ trial, attempts, worker }: LostTrial, runId: string, startedAt: number): FinishedTrial {
  const fault = faultOf(
    new AssayError(
      'TRIAL_SET_ASIDE',
      `Set aside after ${counted(attempts, 'attempt')}: each time the worker ended or was lost while it ran this trial` +
        `${worker === null ? '' : ` (the last one was ${worker})`}.`,
    ),
  );
  return {
    trace: [],
    record: {
      ...trial,
      runId,
      outcome: 'error',
      reason: fault.message,
      startedAt,
      durationMs: 0,
      costUsd: 0,
      usage: null,
      ...trialFindingsSchema.parse({ evaluatorResults: [], metrics: {}, criteria: null, judge: null, fault }),
    },
  };
}
