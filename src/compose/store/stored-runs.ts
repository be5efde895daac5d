import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import { asAssayError } from '../../domain/errors.ts';
import type { RunHeader } from '../../domain/run.ts';
import { chunkIdsOf } from '../../keep/bundles/manifest.ts';
import { StoredFiles } from '../../keep/bundles/stored-files.ts';
import { type StoredTrial, StoredTrials } from '../../keep/store/sql/save-trials.ts';
import type { SqlDatabase, Tables } from '../../keep/store/sql/tables.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';

/** All runs of a store, the newest first; a damaged one is reported, and the rest goes on. */
export async function* eachRun(
  { db, store }: SqlDatabase,
  onDamage: (runId: string, reason: string) => void,
): AsyncGenerator<RunHeader, void> {
  const rows = await db
    .selectFrom('runs')
    .select('run_id')
    .orderBy('started_at', 'desc')
    .orderBy('run_id', 'desc')
    .execute();
  for (const { run_id: runId } of rows) {
    const run = await runNamed(store, runId).catch((error: unknown) => {
      const { code, message } = asAssayError(error, 'STORE_CORRUPT');
      if (code !== 'STORE_CORRUPT') throw error;
      onDamage(runId, message);
    });
    if (run) yield run;
  }
}

/** The run with exactly this id. */
export async function runNamed(store: Store, runId: string): Promise<RunHeader | undefined> {
  const run = await store.findRun(runId);
  return run?.runId === runId ? run : undefined;
}

/** Reads a trial; a damaged one is reported, and the rest goes on. */
export async function readOr(
  trial: StoredTrial,
  onDamage: (reason: string) => void,
): Promise<FinishedTrial | undefined> {
  try {
    return await trial.read();
  } catch (error) {
    const { code, message } = asAssayError(error, 'STORE_CORRUPT');
    if (code !== 'STORE_CORRUPT') throw error;
    onDamage(`trial ${trial.trialId} could not be read: ${message}`);
    return undefined;
  }
}

/** Differences between a run and its copy; additional trials of the copy do not count. */
export async function compareRun(from: SqlDatabase, to: SqlDatabase, runId: string): Promise<string[]> {
  const problems: string[] = [];
  const [read, readCopy] = [new StoredTrials(from.db), new StoredTrials(to.db)];
  let trials = 0;
  let unreadable = 0;
  for await (const page of read.pages(runId)) {
    trials += page.length;
    const copies = await readCopy.byId(page.map(({ trialId }) => trialId));
    for (const trial of page) {
      const copy = copies.get(trial.trialId);
      // Damage in the original was reported when it was copied.
      const wanted = await readOr(trial, () => unreadable++);
      if (!wanted) continue;
      if (!copy) {
        problems.push(`Trial ${trial.trialId} of run ${runId} is missing in the copy.`);
        continue;
      }
      const found = await readOr(copy, (reason) => problems.push(`In the copy: ${reason}`));
      if (found && !isDeepStrictEqual(found, wanted))
        problems.push(`Trial ${trial.trialId} of run ${runId} differs in the copy.`);
    }
  }
  problems.push(...(await compareAttempts(read, readCopy, runId)));
  const [counts, copied] = [await from.store.countByCell(runId), await to.store.countByCell(runId)];
  const total = copied.reduce((sum, { pass, fail, error, skipped }) => sum + pass + fail + error + skipped, 0);
  if (problems.length === 0 && unreadable === 0 && total <= trials && !isDeepStrictEqual(counts, copied))
    problems.push(`The trial counts of run ${runId} differ in the copy.`);
  return problems;
}

/** Attempts that cannot be read in the original were reported when they were copied. */
async function compareAttempts(read: StoredTrials, readCopy: StoredTrials, runId: string): Promise<string[]> {
  const problems: string[] = [];
  const key = ({ trialId, attempt }: { readonly trialId: string; readonly attempt: number }): string =>
    `${trialId}, attempt ${attempt},`;
  const copies = new Map((await readCopy.attempts(runId)).map((copy) => [key(copy), copy]));
  for (const original of await read.attempts(runId)) {
    const wanted = await readOr(original, () => undefined);
    const copy = copies.get(key(original));
    if (!wanted) continue;
    const found = copy && (await readOr(copy, (reason) => problems.push(`In the copy: ${reason}`)));
    if (!copy) problems.push(`Trial ${key(original)} of run ${runId} is missing in the copy.`);
    else if (found && !isDeepStrictEqual(found, wanted))
      problems.push(`Trial ${key(original)} of run ${runId} differs in the copy.`);
  }
  return problems;
}

/** Problems in the files of runs: every piece is read and checked against its hash. */
export async function damagedFiles(db: Kysely<Tables>): Promise<string[]> {
  const files = new StoredFiles(db);
  const problems: string[] = [];
  const checked = new Set<string>();
  const sets = await db.selectFrom('run_files').select(['set_id', 'run_id']).distinct().orderBy('run_id').execute();
  for (const { set_id: setId, run_id: runId } of sets) {
    if (checked.has(setId)) continue;
    checked.add(setId);
    try {
      const { entries } = await files.readSet(setId);
      const unread = chunkIdsOf(entries).filter((id) => !checked.has(id));
      for (const id of unread) checked.add(id);
      for await (const _ of files.readChunks(unread));
    } catch (error) {
      problems.push(`Files of run ${runId}: ${asAssayError(error, 'STORE_CORRUPT').message}`);
    }
  }
  return problems;
}
