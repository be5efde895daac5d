import type { Kysely, Transaction } from 'kysely';
import type { FinishedTrial } from '../store.ts';
import { type Pack, packLines, packRawLimit } from './pack.ts';
import type { Tables } from './tables.ts';
import type { TrialInsertions } from './trial-insertions.ts';
import { findingsLine, rowValues } from './trial-row.ts';

interface PackedTrials {
  readonly trials: readonly FinishedTrial[];
  readonly findings: Pack;
  readonly traces: Pack;
}

/** Stores trials in one transaction; those that are stored already stay as they are. */
export async function saveTrials(
  db: Kysely<Tables>,
  insertions: TrialInsertions,
  trials: readonly FinishedTrial[],
): Promise<void> {
  if (trials.length === 0) return;
  const packed = await packTrials(trials);
  await db.transaction().execute(async (transaction) => {
    for (const group of packed) await insertGroup(transaction, insertions, group);
  });
}

async function packTrials(trials: readonly FinishedTrial[]): Promise<PackedTrials[]> {
  const groups: Promise<PackedTrials>[] = [];
  let members: FinishedTrial[] = [];
  let findings: string[] = [];
  let traces: string[] = [];
  let rawSize = 0;
  const close = () => {
    if (members.length > 0) groups.push(packGroup(members, findings, traces));
    [members, findings, traces, rawSize] = [[], [], [], 0];
  };
  for (const trial of trials) {
    const findingsText = findingsLine(trial.record);
    const traceText = JSON.stringify(trial.trace);
    const size = findingsText.length + traceText.length;
    // A pack belongs to one run, so that removing a run removes no other run's documents.
    if (rawSize + size > packRawLimit || trial.record.runId !== members[0]?.record.runId) close();
    members.push(trial);
    findings.push(findingsText);
    traces.push(traceText);
    rawSize += size;
  }
  close();
  return Promise.all(groups);
}

async function packGroup(
  trials: readonly FinishedTrial[],
  findingLines: readonly string[],
  traceLines: readonly string[],
): Promise<PackedTrials> {
  const [findings, traces] = await Promise.all([packLines(findingLines), packLines(traceLines)]);
  return { trials, findings, traces };
}

async function insertGroup(
  transaction: Transaction<Tables>,
  insertions: TrialInsertions,
  group: PackedTrials,
): Promise<void> {
  const runId = group.trials[0]?.record.runId ?? '';
  const findingsPack = await insertPack(transaction, runId, group.findings);
  const tracePack = await insertPack(transaction, runId, group.traces);
  const rows = group.trials.map(({ record }, slot) => rowValues(record, { findingsPack, tracePack, slot }));
  await insertions.insert(transaction, rows);
}

async function insertPack(transaction: Transaction<Tables>, runId: string, pack: Pack): Promise<number> {
  const row = await transaction
    .insertInto('packs')
    .values({ run_id: runId, ...pack })
    .returning('pack_id')
    .executeTakeFirstOrThrow();
  return row.pack_id;
}
