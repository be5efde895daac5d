import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import type { RunHeader, RunStatus } from '../../domain/run.ts';
import { copyPins } from '../../keep/store/sql/run-pins.ts';
import { StoredTrials } from '../../keep/store/sql/save-trials.ts';
import type { SqlDatabase, Tables } from '../../keep/store/sql/tables.ts';
import type { EarlierAttempt, FinishedTrial } from '../../keep/store/store.ts';
import { compareRun, damagedFiles, eachRun, readOr, runNamed } from './stored-runs.ts';

/** Counts of what was copied, and the problems found. */
interface CopyReport {
  readonly runs: number;
  readonly newRuns: number;
  readonly trials: number;
  readonly newTrials: number;
  readonly newFilePieces: number;
  readonly problems: readonly string[];
}

/** Progress of a copy. */
type CopyStep = (doing: 'copying' | 'comparing', run: RunHeader) => void;

interface Copying {
  readonly from: SqlDatabase;
  readonly to: SqlDatabase;
  readonly read: StoredTrials;
  readonly problems: string[];
  readonly counts: { -readonly [Count in keyof Omit<CopyReport, 'problems'>]: number };
}

const progressOf: Record<RunStatus, number> = { running: 0, paused: 0, interrupted: 1, finished: 2 };

/**
 * Copies all runs of a store into another, and then reads both and compares. What is there already stays as it is: a copy
 * that was interrupted goes on where it ended. Every run is named there before the first is complete, and
 * is complete only with its trials and files: a copy that was killed never looks whole.
 */
export async function copyStore(from: SqlDatabase, to: SqlDatabase, onStep: CopyStep): Promise<CopyReport> {
  const counts = { runs: 0, newRuns: 0, trials: 0, newTrials: 0, newFilePieces: 0 };
  const copying: Copying = { from, to, read: new StoredTrials(from.db), problems: [], counts };
  const named: RunHeader[] = [];
  const onDamage = (runId: string, reason: string) => copying.problems.push(`Run ${runId} was not copied: ${reason}`);
  for await (const run of eachRun(from, onDamage)) if (await nameRun(copying, run)) named.push(run);
  const copiedSets = new Set<string>();
  for (const run of named) {
    onStep('copying', run);
    await copyTrials(copying, run);
    counts.newFilePieces += await copyFilesOf(from.db, to.db, run.runId, copiedSets);
    await concludeCopy(to, run);
  }
  for (const run of named) {
    onStep('comparing', run);
    copying.problems.push(...(await compareRun(from, to, run.runId)));
  }
  copying.problems.push(...(await damagedFiles(to.db)));
  return { ...counts, problems: copying.problems };
}

/** False where the other store has a different run with this id. */
async function nameRun({ to, problems, counts }: Copying, run: RunHeader): Promise<boolean> {
  const there = await runNamed(to.store, run.runId);
  if (there && !isDeepStrictEqual(identityOf(there), identityOf(run))) {
    problems.push(`Run ${run.runId} was not copied: the other store has a different run with this id.`);
    return false;
  }
  counts.runs++;
  if (!there) {
    counts.newRuns++;
    await to.store.createRun({ ...run, status: 'running', finishedAt: null });
  }
  if (there && run.experiment && run.planned > there.planned)
    await to.store.setExperiment(run.runId, run.planned, run.experiment);
  return true;
}

async function copyTrials({ from, to, read, problems, counts }: Copying, run: RunHeader): Promise<void> {
  await copyPins(from.db, to.db, run.runId);
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
  await copyAttempts({ to, read, problems }, run.runId);
}

async function concludeCopy({ store }: SqlDatabase, { runId, status, finishedAt }: RunHeader): Promise<void> {
  const there = await runNamed(store, runId);
  // One that a killed copy named is interrupted too, and has no end.
  const reached = !there || there.finishedAt === null ? 0 : progressOf[there.status];
  if (progressOf[status] > reached) await store.setRunStatus(runId, status, finishedAt);
}

/** Attempts that are there already stay as they are. */
async function copyAttempts({ to, read, problems }: Omit<Copying, 'counts' | 'from'>, runId: string): Promise<void> {
  const attempts: EarlierAttempt[] = [];
  for (const { attempt, ...trial } of await read.attempts(runId)) {
    const finished = await readOr(trial, (reason) => problems.push(`Not copied: attempt ${attempt}: ${reason}`));
    if (finished) attempts.push({ ...finished, attempt });
  }
  if (attempts.length > 0) await to.store.saveAttempts(attempts);
}

/** The parts of a run that never change; its name may. */
function identityOf({ runId, startedAt, assayVersion, request, scenarios }: RunHeader): Partial<RunHeader> {
  return { runId, startedAt, assayVersion, request: { ...request, name: undefined }, scenarios };
}

type Database = Kysely<Tables>;

const idsPerPage = 400;
/** Pieces are up to a quarter of a megabyte. */
const piecesPerStatement = 16;

/** Copies the files of a run, each list once; returns the number of pieces that were new. */
async function copyFilesOf(from: Database, to: Database, runId: string, copiedSets: Set<string>): Promise<number> {
  let newPieces = 0;
  const files = await from.selectFrom('run_files').selectAll().where('run_id', '=', runId).execute();
  for (const { set_id: setId } of files.filter((file) => !copiedSets.has(file.set_id))) {
    copiedSets.add(setId);
    newPieces += await copySet(from, to, setId);
  }
  for (const part of inParts(files, idsPerPage))
    await to
      .insertInto('run_files')
      .values(part)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return newPieces;
}

async function copySet(from: Database, to: Database, setId: string): Promise<number> {
  const set = await from.selectFrom('file_sets').selectAll().where('set_id', '=', setId).executeTakeFirst();
  if (!set) return 0;
  const members = await from.selectFrom('file_set_chunks').selectAll().where('set_id', '=', setId).execute();
  let newPieces = 0;
  // The pieces first: a list names only what is there.
  for (const part of inParts(members, idsPerPage)) {
    const ids = part.map(({ chunk_id }) => chunk_id);
    newPieces += await copyPieces(from, to, ids);
  }
  await to.transaction().execute(async (transaction) => {
    const used_at = Date.now();
    await transaction
      .insertInto('file_sets')
      .values({ set_id: setId, manifest: Buffer.from(set.manifest), used_at })
      .onConflict((conflict) => conflict.column('set_id').doUpdateSet({ used_at }))
      .execute();
    for (const part of inParts(members, idsPerPage))
      await transaction
        .insertInto('file_set_chunks')
        .values(part)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  });
  return newPieces;
}

async function copyPieces(from: Database, to: Database, ids: readonly string[]): Promise<number> {
  // Marks the pieces as in use, so they are not removed meanwhile.
  const used_at = Date.now();
  const present = await to
    .updateTable('chunks')
    .set({ used_at })
    .where('chunk_id', 'in', ids)
    .returning('chunk_id')
    .execute();
  const existing = new Set(present.map(({ chunk_id }) => chunk_id));
  const missing = ids.filter((id) => !existing.has(id));
  for (const part of inParts(missing, piecesPerStatement)) {
    const rows = await from.selectFrom('chunks').selectAll().where('chunk_id', 'in', part).execute();
    if (rows.length === 0) continue;
    await to
      .insertInto('chunks')
      .values(rows.map(({ chunk_id, body }) => ({ chunk_id, body: Buffer.from(body), used_at })))
      .onConflict((conflict) => conflict.column('chunk_id').doUpdateSet({ used_at }))
      .execute();
  }
  return missing.length;
}

function* inParts<Item>(items: readonly Item[], size: number): Generator<Item[], void> {
  for (let next = 0; next < items.length; next += size) yield items.slice(next, next + size);
}
