import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { CaseCountTable } from '../../../domain/case-count-table.ts';
import { wholeCost } from '../../../domain/cost-sum.ts';
import { errorTable } from '../../../domain/errors.ts';
import { allMarks, type Mark, type MarkCounts } from '../../../domain/marks.ts';
import type { CaseCounts, RunCounts } from '../../../domain/run.ts';
import { noTrials } from '../../../domain/run.ts';
import type { Variant } from '../../../domain/variant.ts';
import type { Rows } from '../../../shared/rows.ts';
import type { CellCounts, ScenarioCounts } from '../store.ts';
import type { EachRow } from './row-query.ts';
import type { Tables } from './tables.ts';
import { corrupt, marksIn, retried, variantOf } from './trial-row.ts';

/** Codes of faults that say that a file is wrong. */
const fileFaultCodes = Object.entries(errorTable).flatMap(([code, { exitCode }]) => (exitCode === 2 ? [code] : []));

/** Totals of a run. */
export async function countTrials(db: Kysely<Tables>, runId: string): Promise<RunCounts> {
  return (await countTrialsOfRuns(db, [runId])).get(runId) ?? noTrials;
}

/**
 * Counts have no checksum, but there is something to check them against; one statement sees both at the same time. All
 * trials and those of each outcome but pass are counted: both are in indexes, so no trial is read for it.
 */
async function assertCounted(db: Kysely<Tables>, runIds: readonly string[]): Promise<void> {
  const isOfThese = sql`run_id in (${sql.join(runIds)})`;
  const { rows } = await sql<{ readonly run_id: string }>`
    select run_id from (
      select run_id, outcome, trials as n from trial_counts
        where ${isOfThese} and outcome <> ${retried} and outcome <> 'pass'
      union all
      select run_id, outcome, -count(*) as n from trials
        where ${isOfThese} and outcome <> 'pass' group by run_id, outcome
      union all
      select run_id, 'all' as outcome, trials as n from trial_counts where ${isOfThese} and outcome <> ${retried}
      union all
      select run_id, 'all' as outcome, -count(*) as n from trials where ${isOfThese} group by run_id
    ) as counted group by run_id, outcome having sum(n) <> 0 order by run_id limit 1`.execute(db);
  for (const { run_id } of rows) throw corrupt(`the counts of run ${run_id}`);
}

/** Totals of several runs; those without trials are left out. */
export async function countTrialsOfRuns(
  db: Kysely<Tables>,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RunCounts>> {
  if (runIds.length === 0) return new Map();
  await assertCounted(db, runIds);
  const rows = await withOutcomes(db)
    .select(({ fn }) => [
      'run_id',
      fn
        .sum('trials')
        .filterWhere('outcome', '=', 'error')
        .filterWhere('fault_code', 'in', fileFaultCodes)
        .as('fileFaults'),
      fn
        .sum('trials')
        .filterWhere('outcome', '=', 'error')
        .filterWhere('fault_code', '=', 'JUDGE_WAITING')
        .as('waiting'),
      fn.sum('input_tokens').as('inputTokens'),
      fn.sum('output_tokens').as('outputTokens'),
      fn.sum('without_usage').as('withoutUsage'),
      fn.sum('timed_out').as('timedOut'),
    ])
    .where('run_id', 'in', runIds)
    .groupBy('run_id')
    .execute();
  return new Map(
    rows.map((row) => {
      const { pass, fail, error, skipped, notJudged, cost, marks } = totalsOf(row);
      const fileFaults = Number(row.fileFaults ?? 0);
      const waiting = Number(row.waiting ?? 0);
      const timedOut = Number(row.timedOut ?? 0);
      const rare = { ...(waiting > 0 && { waiting }), ...(timedOut > 0 && { timedOut }) };
      const tokens = {
        knownInput: Number(row.inputTokens),
        knownOutput: Number(row.outputTokens),
        unknownTrials: Number(row.withoutUsage),
      };
      return [row.run_id, { pass, fail, error, skipped, notJudged, fileFaults, cost, tokens, marks, ...rare }];
    }),
  );
}

/** Totals of each scenario of a run. */
export async function countByScenario(db: Kysely<Tables>, runId: string): Promise<ScenarioCounts[]> {
  const rows = await withOutcomes(db)
    .select(({ fn }) => ['scenario', 'file', fn.max('last_ordinal').as('last')])
    .where('run_id', '=', runId)
    .groupBy(['file', 'scenario'])
    .orderBy('first')
    .execute();
  return rows.map((row) => {
    const { pass, fail, error, notJudged, durationMs, marks } = totalsOf(row);
    const { scenario, file, first, last } = row;
    return { scenario, file, firstOrdinal: first, lastOrdinal: last, pass, fail, error, notJudged, durationMs, marks };
  });
}

/** Totals of each scenario of a run under each variant. */
export async function countByCell(db: Kysely<Tables>, runId: string): Promise<CellCounts[]> {
  const rows = await withOutcomes(db)
    .select(['scenario', 'file', 'variant'])
    .where('run_id', '=', runId)
    .groupBy(['file', 'scenario', 'variant'])
    .orderBy('first')
    .execute();
  return rows.map((row) => {
    const { cost, ...totals } = totalsOf(row);
    const { scenario, file, variant } = row;
    return { scenario, file, variant: variantOf(variant), ...totals, costUsd: wholeCost(cost) };
  });
}

/** Between which places of the plan the trials of a scenario lie; undefined where none is stored. */
export async function ordinalsOfScenarios(
  db: Kysely<Tables>,
  runId: string,
  scenarios: readonly string[],
): Promise<readonly [first: number, last: number] | undefined> {
  const row = await db
    .selectFrom('trial_counts')
    .select(({ fn }) => [fn.min('first_ordinal').as('first'), fn.max('last_ordinal').as('last')])
    .where('run_id', '=', runId)
    .where('scenario', 'in', scenarios)
    .executeTakeFirst();
  return row?.first == null ? undefined : [row.first, row.last];
}

/** Sums as engines give them: as text or numbers, and null where there is nothing to sum up. */
interface OutcomeSums extends Readonly<Record<Mark, string | number | bigint | null>> {
  readonly pass: string | number | bigint | null;
  readonly fail: string | number | bigint | null;
  readonly error: string | number | bigint | null;
  readonly skipped: string | number | bigint | null;
  readonly notJudged: string | number | bigint | null;
  readonly durationNs: string | number | bigint;
  readonly costPicoUsd: string | number | bigint;
  readonly withoutDuration: string | number | bigint;
  readonly withoutCost: string | number | bigint;
  readonly first: number;
}

function withOutcomes(db: Kysely<Tables>): SelectQueryBuilder<Tables, 'trial_counts', OutcomeSums> {
  return db.selectFrom('trial_counts').select(({ fn }) => [
    fn.sum('trials').filterWhere('outcome', '=', 'pass').as('pass'),
    fn.sum('trials').filterWhere('outcome', '=', 'fail').as('fail'),
    fn.sum('trials').filterWhere('outcome', '=', 'error').as('error'),
    fn.sum('trials').filterWhere('outcome', '=', 'skipped').as('skipped'),
    fn.sum('trials').filterWhere('outcome', '=', 'pass').filterWhere('fault_code', '=', 'NOT_JUDGED').as('notJudged'),
    fn.sum('duration_ns').as('durationNs'),
    fn.sum('cost_pico_usd').as('costPicoUsd'),
    fn.sum('without_duration').as('withoutDuration'),
    fn.sum('without_cost').as('withoutCost'),
    fn.min('first_ordinal').as('first'),
    ...allMarks.map((mark) =>
      fn
        .sum('trials')
        .filterWhere('outcome', 'in', ['pass', 'fail'])
        // One mark may be a part of the name of another.
        .filterWhere(sql<string>`' ' || marks || ' '`, 'like', `% ${mark} %`)
        .as(mark),
    ),
  ]);
}

function totalsOf(row: OutcomeSums) {
  return {
    pass: Number(row.pass ?? 0),
    fail: Number(row.fail ?? 0),
    error: Number(row.error ?? 0),
    skipped: Number(row.skipped ?? 0),
    notJudged: Number(row.notJudged ?? 0),
    marks: markCountsOf(row),
    durationMs: Number(row.withoutDuration) > 0 ? null : Number(row.durationNs) / 1e6,
    cost: { knownUsd: Number(row.costPicoUsd) / 1e12, unknownTrials: Number(row.withoutCost) },
  };
}

function markCountsOf(row: OutcomeSums): MarkCounts {
  const counts = allMarks.map((mark) => [mark, Number(row[mark] ?? 0)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

/** Thousands of cases have a few variants. */
function readOnce(variants: Map<string, Variant>, text: string): Variant {
  const variant = variants.get(text) ?? variantOf(text);
  variants.set(text, variant);
  return variant;
}

/** How the trials of each case under each variant ended, those with other marks apart. */
export async function countByCase(
  db: Kysely<Tables>,
  eachRow: EachRow,
  runId: string,
  scenario?: string,
): Promise<Rows<CaseCounts>> {
  const query = db
    .selectFrom('trials')
    .select(({ fn }) => [
      'file',
      'scenario',
      'case_id',
      'variant',
      'marks',
      fn.countAll().filterWhere('outcome', '=', 'pass').as('pass'),
      fn.countAll().filterWhere('outcome', '=', 'fail').as('fail'),
      fn.countAll().filterWhere('outcome', 'not in', ['pass', 'fail']).as('unjudged'),
      fn.min('ordinal').as('first'),
    ])
    .where('run_id', '=', runId)
    .$if(scenario !== undefined, (query) => query.where('scenario', '=', scenario ?? ''))
    .groupBy(['file', 'scenario', 'case_id', 'variant', 'marks'])
    .orderBy('first');
  const variants = new Map<string, Variant>();
  const counts = new CaseCountTable();
  for await (const row of eachRow(query))
    counts.append({
      file: row.file,
      scenario: row.scenario,
      caseId: row.case_id,
      variant: readOnce(variants, row.variant),
      ...(row.marks !== null && { marks: marksIn(row.marks) }),
      pass: Number(row.pass),
      fail: Number(row.fail),
      unjudged: Number(row.unjudged),
    });
  return counts;
}
