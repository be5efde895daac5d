import { crc32 } from 'node:zlib';
import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';
import { type CheckedTrial, checkedTrial, trialColumns } from './trial-row.ts';

type Trial = Selectable<Tables['trials']>;

/** Columns that JSON of SQLite would round. */
const exactColumns = ['duration_ms', 'cost_usd', 'input_tokens', 'output_tokens'] as const;

const names = Object.keys(trialColumns) as (keyof Trial)[];
const firstExact = names.indexOf(exactColumns[0]);
const headColumns = names.slice(0, firstExact);
const tailColumns = names.slice(firstExact + exactColumns.length, -1);

interface PackedRow extends Pick<Trial, (typeof exactColumns)[number]> {
  readonly head: string;
  readonly tail: string;
  readonly checksum: number;
}

const listOf = (columns: readonly string[]) =>
  sql<string>`json_array(${sql.join(columns.map((name) => sql.ref(name)))})`;

/** The rows of a query, checked. Few long values come out of SQLite in half the time of many short ones. */
export async function sqliteTrials(query: SelectQueryBuilder<Tables, 'trials', object>): Promise<CheckedTrial[]> {
  const packed = query
    .select([listOf(headColumns).as('head'), listOf(tailColumns).as('tail')])
    .select([...exactColumns, 'checksum']);
  const rows = await packed.execute().catch(() => undefined);
  // Damage can make bytes of a text, and these have no JSON: read as they are, they are named.
  if (!rows) return (await query.selectAll().execute()).map((row) => checkedTrial(row));
  return rows.map((row) => trialOf(row as PackedRow));
}

function trialOf(row: PackedRow): CheckedTrial {
  const { head, tail, duration_ms, cost_usd, input_tokens, output_tokens, checksum } = row;
  const text = `${head.slice(0, -1)},${duration_ms},${cost_usd},${input_tokens},${output_tokens},${tail.slice(1)}`;
  const first = JSON.parse(head);
  const last = JSON.parse(tail);
  const trial: Trial = {
    trial_id: first[0],
    run_id: first[1],
    ordinal: first[2],
    scenario: first[3],
    file: first[4],
    case_id: first[5],
    variant: first[6],
    repeat: first[7],
    outcome: first[8],
    reason: first[9],
    fault_code: first[10],
    marks: first[11],
    started_at: first[12],
    duration_ms,
    cost_usd,
    input_tokens,
    output_tokens,
    findings_pack: last[0],
    trace_pack: last[1],
    slot: last[2],
    checksum,
  };
  // SQLite may write a value otherwise than JavaScript does: it is written once more then.
  return checkedTrial(trial, crc32(text) === checksum);
}
