import type { Kysely } from 'kysely';
import { errorTable } from '../../domain/errors.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { RunCounts } from '../../domain/run.ts';
import type { ScenarioCounts } from '../store.ts';
import type { Tables } from './tables.ts';

/** Totals of a run. Engines give sums as text or numbers, so each is read as a number here. */
export async function countTrials(db: Kysely<Tables>, runId: string): Promise<RunCounts> {
  const rows = await db
    .selectFrom('trials')
    .select(({ fn }) => [
      'outcome',
      'fault_code as faultCode',
      fn.countAll().as('count'),
      fn.sum('cost_usd').as('costUsd'),
      fn.sum('input_tokens').as('inputTokens'),
      fn.sum('output_tokens').as('outputTokens'),
    ])
    .where('run_id', '=', runId)
    .groupBy(['outcome', 'fault_code'])
    .execute();
  const total = (chosen: typeof rows, field: 'count' | 'costUsd' | 'inputTokens' | 'outputTokens'): number =>
    chosen.reduce((sum, row) => sum + Number(row[field] ?? 0), 0);
  const ended = (outcome: Outcome): number =>
    total(
      rows.filter((row) => row.outcome === outcome),
      'count',
    );
  return {
    pass: ended('pass'),
    fail: ended('fail'),
    error: ended('error'),
    fileFaults: total(
      rows.filter((row) => isFileFault(row.faultCode)),
      'count',
    ),
    costUsd: total(rows, 'costUsd'),
    inputTokens: total(rows, 'inputTokens'),
    outputTokens: total(rows, 'outputTokens'),
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

function isFileFault(code: string | null): boolean {
  return code !== null && code in errorTable && errorTable[code as keyof typeof errorTable].exitCode === 2;
}
