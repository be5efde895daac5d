import { stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { TrialRecord } from '../../../domain/record.ts';
import { importedFrom, type RunHeader } from '../../../domain/run.ts';
import { whyNotAgain } from '../../../engine/why-not-again.ts';
import { requireRun, requireTrial, type Store } from '../../../keep/store/store.ts';
import { traceFacts } from '../../../report/presentation/trial-view.ts';
import type { TrialDetail } from '../api/trials.ts';
import type { ServerContext } from '../context.ts';
import { listArtifacts } from './artifacts.ts';
import { findTrace } from './find-trace.ts';

/** A trial with its neighbours and what it left behind. */
export async function trialDetail(trialId: string, context: ServerContext): Promise<TrialDetail> {
  const { store } = context;
  const record = await requireTrial(store, trialId);
  const run = await requireRun(store, record.runId);
  const trace = await findTrace(record.trialId, context);
  const [next] = await store.readTrials(record.runId, { limit: 1, after: record.ordinal });
  return {
    record,
    attempts: await store.readAttempts(record.trialId),
    run: {
      runId: run.runId,
      name: run.request.name ?? null,
      startedAt: run.startedAt,
      planned: run.planned,
      importedFrom: importedFrom(run) ?? null,
      editOf: run.request.origin?.kind === 'edit' ? run.request.origin.trialId : null,
      whyNotAgain: (await whyNotAgain(run, context.folder, record.file)) ?? null,
    },
    previousTrialId: await previousTrialId(record, store),
    nextTrialId: next?.trialId ?? null,
    isFileThere: !isMadeElsewhere(run) && (await isInProject(record.file, context.folder)),
    ...traceFacts(record, trace),
    traceNote: null,
    artifacts: await listArtifacts(record, context),
  };
}

/** A file here with the name of theirs has nothing to do with them. */
function isMadeElsewhere({ request: { origin } }: RunHeader): boolean {
  return origin?.kind === 'import' || origin?.kind === 'rule';
}

/** Files of other machines are often not here. */
async function isInProject(file: string, folder: string): Promise<boolean> {
  const path = resolve(folder, file);
  if (!path.startsWith(`${folder}${sep}`)) return false;
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Trials that were skipped or have not finished leave gaps in the plan; these are rarely wide. */
const lookedBack = [1, 10, 200];

async function previousTrialId({ runId, ordinal }: TrialRecord, store: Store): Promise<string | null> {
  for (const count of lookedBack) {
    const before = await store.readTrials(runId, { limit: count, after: ordinal - count - 1 });
    const found = before.findLast((record) => record.ordinal < ordinal);
    if (found) return found.trialId;
    if (ordinal - count <= 0) return null;
  }
  return null;
}
