import type { RunHeader } from '../../domain/run.ts';
import { StoredTrials } from '../../keep/store/sql/save-trials.ts';
import type { SqlDatabase } from '../../keep/store/sql/tables.ts';
import type { CellCounts } from '../../keep/store/store.ts';
import { damagedFiles, eachRun, readOr } from './stored-runs.ts';

/** Counts of what was checked, and the problems found. */
export interface StoreCheck {
  readonly runs: number;
  readonly trials: number;
  readonly problems: readonly string[];
}

/** Reads everything in a store and checks it against its checksums and counts. */
export async function checkStore(database: SqlDatabase, onRun: (run: RunHeader) => void): Promise<StoreCheck> {
  const problems = (await database.problems()).map((finding) => `The database reports: ${finding}`);
  const found = { runs: 0, trials: 0 };
  for await (const run of eachRun(database.store)) {
    onRun(run);
    found.runs++;
    found.trials += await checkRun(database, run.runId, problems);
  }
  problems.push(...(await damagedFiles(database.db)), ...(await strayTrials(database)));
  return { ...found, problems };
}

async function checkRun({ db, store }: SqlDatabase, runId: string, problems: string[]): Promise<number> {
  let trials = 0;
  const outcomes = { pass: 0, fail: 0, error: 0, skipped: 0 };
  let isReadable = true;
  for await (const page of new StoredTrials(db).pages(runId)) {
    trials += page.length;
    for (const trial of page) {
      const finished = await readOr(trial, (reason) => problems.push(`Run ${runId}: ${reason}`));
      if (finished) outcomes[finished.record.outcome]++;
      else isReadable = false;
    }
  }
  if (isReadable) problems.push(...miscounts(runId, outcomes, await store.countByCell(runId)));
  return trials;
}

function miscounts(runId: string, outcomes: Record<string, number>, cells: readonly CellCounts[]): string[] {
  return (['pass', 'fail', 'error', 'skipped'] as const).flatMap((outcome) => {
    const counted = cells.reduce((sum, cell) => sum + cell[outcome], 0);
    const isRight = counted === outcomes[outcome];
    return isRight
      ? []
      : [`Run ${runId}: ${outcomes[outcome]} trials ended with "${outcome}", but ${counted} are counted.`];
  });
}

async function strayTrials({ db }: SqlDatabase): Promise<string[]> {
  const rows = await db
    .selectFrom('trial_counts')
    .select('run_id')
    .distinct()
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('runs').select('runs.run_id').whereRef('runs.run_id', '=', 'trial_counts.run_id'))),
    )
    .execute();
  return rows.map(({ run_id }) => `Run ${run_id} has trials but is not in the list of runs.`);
}
