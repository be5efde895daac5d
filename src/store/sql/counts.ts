import type { Kysely } from 'kysely';
import { errorTable } from '../../domain/errors.ts';
import type { RunCounts } from '../../domain/run.ts';
import type { CellCounts, ScenarioCounts } from '../store.ts';
import type { Tables } from './tables.ts';
import { variantOf } from './trial-row.ts';

/** Codes of faults that say that a file is wrong. */
const fileFaultCodes = Object.entries(errorTable).flatMap(([code, { exitCode }]) => (exitCode === 2 ? [code] : []));

/** Counts of a run without trials. */
export const noTrials: RunCounts = {
  pass: 0,
  fail: 0,
  error: 0,
  fileFaults: 0,
  costUsd: 0,
  inputTokens: 0,
  outputTokens: 0,
};

/** Totals of a run, in one pass. */
export async function countTrials(db: Kysely<Tables>, runId: string): Promise<RunCounts> {
  return (await countTrialsOfRuns(db, [runId])).get(runId) ?? noTrials;
}

/**
 * Totals of several runs; those without trials are left out. Engines give sums as text or numbers, so each is read as
 * a number here.
 */
export async function countTrialsOfRuns(
  db: Kysely<Tables>,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RunCounts>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('trials')
    .select(({ fn }) => [
      'run_id',
      fn.countAll().filterWhere('outcome', '=', 'pass').as('pass'),
      fn.countAll().filterWhere('outcome', '=', 'fail').as('fail'),
      fn.countAll().filterWhere('outcome', '=', 'error').as('error'),
      fn.countAll().filterWhere('fault_code', 'in', fileFaultCodes).as('fileFaults'),
      fn.sum('cost_usd').as('costUsd'),
      fn.sum('input_tokens').as('inputTokens'),
      fn.sum('output_tokens').as('outputTokens'),
    ])
    .where('run_id', 'in', runIds)
    .groupBy('run_id')
    .execute();
  return new Map(
    rows.map((row) => [
      row.run_id,
      {
        pass: Number(row.pass),
        fail: Number(row.fail),
        error: Number(row.error),
        fileFaults: Number(row.fileFaults),
        costUsd: Number(row.costUsd ?? 0),
        inputTokens: Number(row.inputTokens ?? 0),
        outputTokens: Number(row.outputTokens ?? 0),
      },
    ]),
  );
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

/** Totals of each scenario of a run under each variant. */
export async function countByCell(db: Kysely<Tables>, runId: string): Promise<CellCounts[]> {
  const rows = await db
    .selectFrom('trials')
    .select(({ fn }) => [
      'scenario',
      'file',
      'variant',
      fn.min('ordinal').as('first'),
      fn.countAll().filterWhere('outcome', '=', 'pass').as('pass'),
      fn.countAll().filterWhere('outcome', '=', 'fail').as('fail'),
      fn.countAll().filterWhere('outcome', '=', 'error').as('error'),
      fn.countAll().filterWhere('outcome', '=', 'skipped').as('skipped'),
      fn.sum('duration_ms').as('durationMs'),
      fn.sum('cost_usd').as('costUsd'),
    ])
    .where('run_id', '=', runId)
    .groupBy(['file', 'scenario', 'variant'])
    .orderBy('first')
    .execute();
  return rows.map((row) => ({
    scenario: row.scenario,
    file: row.file,
    variant: variantOf(row.variant),
    pass: Number(row.pass),
    fail: Number(row.fail),
    error: Number(row.error),
    skipped: Number(row.skipped),
    durationMs: Number(row.durationMs),
    costUsd: Number(row.costUsd),
  }));
}
