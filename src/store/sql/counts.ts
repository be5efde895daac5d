import type { Kysely } from 'kysely';
import { errorTable } from '../../domain/errors.ts';
import type { RunCounts } from '../../domain/run.ts';
import type { ScenarioCounts } from '../store.ts';
import type { Tables } from './tables.ts';

/** Codes of faults that say that a file is wrong. */
const fileFaultCodes = Object.entries(errorTable).flatMap(([code, { exitCode }]) => (exitCode === 2 ? [code] : []));

/** Totals of a run, in one pass. Engines give sums as text or numbers, so each is read as a number here. */
export async function countTrials(db: Kysely<Tables>, runId: string): Promise<RunCounts> {
  const row = await db
    .selectFrom('trials')
    .select(({ fn }) => [
      fn.countAll().filterWhere('outcome', '=', 'pass').as('pass'),
      fn.countAll().filterWhere('outcome', '=', 'fail').as('fail'),
      fn.countAll().filterWhere('outcome', '=', 'error').as('error'),
      fn.countAll().filterWhere('fault_code', 'in', fileFaultCodes).as('fileFaults'),
      fn.sum('cost_usd').as('costUsd'),
      fn.sum('input_tokens').as('inputTokens'),
      fn.sum('output_tokens').as('outputTokens'),
    ])
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return {
    pass: Number(row.pass),
    fail: Number(row.fail),
    error: Number(row.error),
    fileFaults: Number(row.fileFaults),
    costUsd: Number(row.costUsd ?? 0),
    inputTokens: Number(row.inputTokens ?? 0),
    outputTokens: Number(row.outputTokens ?? 0),
  };
}

/** Totals of each scenario of a run. */
export async function countByScenario(db: Kysely<Tables>, runId: string): Promise<ScenarioCounts[]> {
  const rows = await db
    .selectFrom('trials')
    .select(({ fn }) => [
      'scenario',
      'file',
      fn.min('ordinal').as('first'),
      fn.max('ordinal').as('last'),
      fn.countAll().filterWhere('outcome', '=', 'pass').as('pass'),
      fn.countAll().filterWhere('outcome', '=', 'fail').as('fail'),
      fn.countAll().filterWhere('outcome', '=', 'error').as('error'),
      fn.sum('duration_ms').as('durationMs'),
    ])
    .where('run_id', '=', runId)
    .groupBy(['file', 'scenario'])
    .orderBy('first')
    .execute();
  return rows.map((row) => ({
    scenario: row.scenario,
    file: row.file,
    firstOrdinal: Number(row.first),
    lastOrdinal: Number(row.last),
    pass: Number(row.pass),
    fail: Number(row.fail),
    error: Number(row.error),
    durationMs: Number(row.durationMs),
  }));
}
