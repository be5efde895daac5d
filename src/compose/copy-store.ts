import { isDeepStrictEqual } from 'node:util';
import type { RunHeader, RunStatus } from '../domain/run.ts';
import type { SqlDatabase } from '../keep/store/sql/sql-database.ts';
import { StoredTrials } from '../keep/store/sql/stored-trials.ts';
import type { FinishedTrial } from '../keep/store/store.ts';
import { compareRun } from './compare-stored-run.ts';
import { copyStoredFiles } from './copy-stored-files.ts';
import { damagedFiles } from './damaged-files.ts';
import { eachRun, readOr, runNamed } from './stored-runs.ts';

/** What was copied, and what was not as it should be. */
export interface CopyReport {
  readonly runs: number;
  readonly newRuns: number;
  readonly trials: number;
  readonly newTrials: number;
  readonly newFilePieces: number;
  readonly problems: readonly string[];
}

/** What is told of a copy while it goes on. */
export type CopyStep = (doing: 'copying' | 'comparing', run: RunHeader) => void;

interface Copying {
  readonly to: SqlDatabase;
  readonly read: StoredTrials;
  readonly problems: string[];
  readonly counts: { runs: number; newRuns: number; trials: number; newTrials: number };
}

const progressOf: Record<RunStatus, number> = { running: 0, interrupted: 1, finished: 2 };

/**
 * Copies all runs of a store into another, and then reads both and compares. What is there already stays as it is, so
 * that a copy that was interrupted goes on where it ended.
 */
export async function copyStore(from: SqlDatabase, to: SqlDatabase, onStep: CopyStep): Promise<CopyReport> {
  const counts = { runs: 0, newRuns: 0, trials: 0, newTrials: 0 };
  const copying: Copying = { to, read: new StoredTrials(from.db), problems: [], counts };
  const copied: RunHeader[] = [];
  for await (const run of eachRun(from.store)) {
    onStep('copying', run);
    if (await copyRun(copying, run)) copied.push(run);
  }
  const runIds = copied.map(({ runId }) => runId);
  const newFilePieces = await copyStoredFiles(from.db, to.db, runIds);
  for (const run of copied) {
    onStep('comparing', run);
    copying.problems.push(...(await compareRun(from, to, run.runId)));
  }
  copying.problems.push(...(await damagedFiles(to.db)));
  return { ...counts, newFilePieces, problems: copying.problems };
}

/** Gives false where the other store has another run of this name. */
async function copyRun({ to, read, problems, counts }: Copying, run: RunHeader): Promise<boolean> {
  const there = await runNamed(to.store, run.runId);
  if (there && !isDeepStrictEqual(identityOf(there), identityOf(run))) {
    problems.push(`Run ${run.runId} is another run there; it was left alone.`);
    return false;
  }
  counts.runs++;
  if (!there) {
    counts.newRuns++;
    // As running at first: a copy that is interrupted must not look complete.
    await to.store.createRun({ ...run, status: 'running', finishedAt: null });
  }
  for await (const page of read.pages(run.runId)) {
    counts.trials += page.length;
    const stored = await to.store.storedTrialIds(page.map(({ trialId }) => trialId));
    const missing: FinishedTrial[] = [];
    for (const trial of page.filter(({ trialId }) => !stored.has(trialId))) {
      const finished = await readOr(trial, (reason) => problems.push(`Not copied: ${reason}`));
      if (finished) missing.push(finished);
    }
    await to.store.saveTrials(missing);
    counts.newTrials += missing.length;
  }
  if (progressOf[run.status] > progressOf[there?.status ?? 'running'])
    await to.store.setRunStatus(run.runId, run.status, run.finishedAt);
  return true;
}

/** What does not change while a run goes on. */
function identityOf({ status: _, finishedAt: __, ...identity }: RunHeader): Omit<RunHeader, 'status' | 'finishedAt'> {
  return identity;
}
