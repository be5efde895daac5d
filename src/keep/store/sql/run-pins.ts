import { crc32 } from 'node:zlib';
import type { Kysely } from 'kysely';
import * as z from 'zod';
import { sha256 } from '../../../shared/ids.ts';
import { canonicalJson } from '../../../shared/json.ts';
import type { MetTools, ToolPins } from '../store.ts';
import type { Tables } from './tables.ts';
import { corrupt } from './trial-row.ts';

/** The tools that a run met first have this name in place of a hash: of several processes one decides. */
const firstVersion = 'first';

const pinsSchema = z.record(z.string(), z.string());

/** Keeps tools as the first of a run unless it has some, and announced ones beside them; gives all that are kept. */
export async function pinTools(
  db: Kysely<Tables>,
  runId: string,
  { server, pins, isAnnounced }: MetTools,
): Promise<ToolPins[]> {
  const text = canonicalJson(pins);
  const versions = [firstVersion, ...(isAnnounced ? [sha256(text)] : [])];
  for (const version of versions)
    await db
      .insertInto('run_pins')
      .values({ run_id: runId, server, version, pins: text, checksum: crc32(text) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const rows = await db
    .selectFrom('run_pins')
    .selectAll()
    .where('run_id', '=', runId)
    .where('server', '=', server)
    .execute();
  return rows.map((row) => {
    if (crc32(row.pins) !== Number(row.checksum)) throw corrupt(`the tool definitions of run ${runId}`);
    return pinsSchema.parse(JSON.parse(row.pins));
  });
}

/** Takes over what the other store has, and this one has not. */
export async function copyPins(from: Kysely<Tables>, to: Kysely<Tables>, runId: string): Promise<void> {
  const rows = await from.selectFrom('run_pins').selectAll().where('run_id', '=', runId).execute();
  for (const row of rows)
    await to
      .insertInto('run_pins')
      .values({ ...row, checksum: Number(row.checksum) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Runs whose kept tools are not as they were written. */
export async function runsWithDamagedPins(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db.selectFrom('run_pins').select(['run_id', 'pins', 'checksum']).execute();
  return [...new Set(rows.flatMap((row) => (crc32(row.pins) === Number(row.checksum) ? [] : [row.run_id])))];
}
