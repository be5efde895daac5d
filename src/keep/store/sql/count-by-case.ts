import type { Kysely } from 'kysely';
import type { CaseCounts } from '../../../domain/run.ts';
import type { Tables } from './tables.ts';
import { variantOf } from './trial-row.ts';

/** How the trials of each case under each variant ended. */
export async function countByCase(db: Kysely<Tables>, runId: string): Promise<CaseCounts[]> {
  const rows = await db
    .selectFrom('trials')
    .select(({ fn }) => [
      'file',
      'scenario',
      'case_id',
      'variant',
      fn.countAll().filterWhere('outcome', '=', 'pass').as('pass'),
      fn.countAll().filterWhere('outcome', '=', 'fail').as('fail'),
      fn.countAll().filterWhere('outcome', 'not in', ['pass', 'fail']).as('unjudged'),
      fn.min('ordinal').as('first'),
    ])
    .where('run_id', '=', runId)
    .groupBy(['file', 'scenario', 'case_id', 'variant'])
    .orderBy('first')
    .execute();
  return rows.map((row) => ({
    file: row.file,
    scenario: row.scenario,
    caseId: row.case_id,
    variant: variantOf(row.variant),
    pass: Number(row.pass),
    fail: Number(row.fail),
    unjudged: Number(row.unjudged),
  }));
}
