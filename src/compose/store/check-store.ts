import { sql } from 'kysely';
import type { RunHeader } from '../../domain/run.ts';
import { runsWithDamagedPins } from '../../keep/store/sql/run-pins.ts';
import { StoredTrials } from '../../keep/store/sql/save-trials.ts';
import type { SqlDatabase } from '../../keep/store/sql/tables.ts';
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
  const onDamage = (runId: string, reason: string) => problems.push(`Run ${runId}: ${reason}`);
  for await (const run of eachRun(database, onDamage)) {
    onRun(run);
    found.runs++;
    found.trials += await checkRun(database, run.runId, problems);
  }
  problems.push(...(await damagedFiles(database.db)), ...(await strayTrials(database)));
  for (const runId of await runsWithDamagedPins(database.db))
    problems.push(`Run ${runId}: the stored bytes of its tool definitions are damaged.`);
  return { ...found, problems };
}

async function checkRun({ db }: SqlDatabase, runId: string, problems: string[]): Promise<number> {
  let trials = 0;
  let isReadable = true;
  const onDamage = (reason: string): void => {
    isReadable = false;
    problems.push(`Run ${runId}: ${reason}`);
  };
  const stored = new StoredTrials(db);
  for await (const page of stored.pages(runId)) {
    trials += page.length;
    for (const trial of page) await readOr(trial, onDamage);
  }
  for (const attempt of await stored.attempts(runId)) await readOr(attempt, onDamage);
  if (isReadable) problems.push(...(await miscounts(db, runId)));
  return trials;
}

/**
 * Differences between the counts of a run and its trials, by scenario, variant, outcome and fault. Sums of time and cost
 * are rounded for each trial, and engines round halves differently.
 */
async function miscounts(db: SqlDatabase['db'], runId: string): Promise<string[]> {
  const ofRow = sql`1 as trials, round(coalesce(duration_ms, 0) * 1e6) as ns, round(coalesce(cost_usd, 0) * 1e12) as pico,
    coalesce(input_tokens, 0) + coalesce(output_tokens, 0) as tokens`;
  const { rows } = await sql<{ scenario: string; outcome: string; stored: number; counted: number }>`
    select scenario, outcome, sum(case when side = 1 then trials else 0 end) as stored,
      sum(case when side = -1 then trials else 0 end) as counted
    from (
      select 1 as side, file, scenario, variant, outcome, coalesce(fault_code, '') as fault_code, ${ofRow}
      from trials where run_id = ${runId}
      union all
      select 1, file, scenario, variant, 'retried', coalesce(fault_code, ''), ${ofRow}
      from trial_attempts where run_id = ${runId}
      union all
      select -1, file, scenario, variant, outcome, fault_code, trials, duration_ns, cost_pico_usd,
        input_tokens + output_tokens
      from trial_counts where run_id = ${runId}
    ) as both_sides group by file, scenario, variant, outcome, fault_code
    having sum(side * trials) <> 0 or sum(side * tokens) <> 0
      or abs(sum(side * ns)) > sum(abs(trials)) or abs(sum(side * pico)) > sum(abs(trials))
    order by scenario, outcome`.execute(db);
  return rows.map(({ scenario, outcome, stored, counted }) => {
    const what = `Run ${runId}: ${stored} trials of "${scenario}" ended with "${outcome}", `;
    const isSum = Number(stored) === Number(counted);
    return `${what}${isSum ? 'but the sums of their time, cost or tokens are others.' : `but ${counted} are counted.`}`;
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
