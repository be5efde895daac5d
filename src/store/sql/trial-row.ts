import { crc32 } from 'node:zlib';
import type { Selectable } from 'kysely';
import { AssayError } from '../../domain/errors.ts';
import { outcomeSchema } from '../../domain/outcome.ts';
import { type TrialFindings, type TrialRecord, trialFindingsSchema } from '../../domain/record.ts';
import { variantSchema } from '../../domain/trial.ts';
import type { Tables } from './tables.ts';

type TrialRow = Selectable<Tables['trials']>;
type TrialColumns = Omit<TrialRow, 'checksum' | 'started_at'> & { started_at: number };

/** Where the documents of a trial lie. */
interface Slots {
  readonly findingsPack: number;
  readonly tracePack: number;
  readonly slot: number;
}

/** A record as a row; what is too large for a row goes into packs. */
export function rowOf(record: TrialRecord, slots: Slots): TrialColumns & { checksum: number } {
  const columns: TrialColumns = {
    trial_id: record.trialId,
    run_id: record.runId,
    ordinal: record.ordinal,
    scenario: record.scenario,
    file: record.file,
    case_id: record.caseId,
    variant: JSON.stringify(record.variant),
    repeat: record.repeat,
    outcome: record.outcome,
    reason: record.reason,
    fault_code: record.fault?.code ?? null,
    started_at: record.startedAt,
    duration_ms: record.durationMs,
    cost_usd: record.costUsd,
    input_tokens: record.usage?.inputTokens ?? null,
    output_tokens: record.usage?.outputTokens ?? null,
    findings_pack: slots.findingsPack,
    trace_pack: slots.tracePack,
    slot: slots.slot,
  };
  return { ...columns, checksum: rowChecksum(columns) };
}

/** The part of a record that is kept in a pack. */
export function findingsLine(record: TrialRecord): string {
  const { evaluatorResults, metrics, criteria, judge, fault } = record;
  return JSON.stringify({ evaluatorResults, metrics, criteria, judge, fault } satisfies TrialFindings);
}

/** The record of a row and its findings; refuses what is not as it was written. */
export function recordOf(row: TrialRow, findings: string): TrialRecord {
  const columns = { ...row, started_at: Number(row.started_at) };
  if (rowChecksum(columns) !== Number(row.checksum)) throw corrupt(`trial ${row.trial_id}`);
  return {
    trialId: row.trial_id,
    runId: row.run_id,
    ordinal: row.ordinal,
    scenario: row.scenario,
    file: row.file,
    caseId: row.case_id,
    variant: variantSchema.parse(JSON.parse(row.variant)),
    repeat: row.repeat,
    outcome: outcomeSchema.parse(row.outcome),
    reason: row.reason,
    startedAt: columns.started_at,
    durationMs: row.duration_ms,
    costUsd: row.cost_usd,
    usage: row.input_tokens === null ? null : { inputTokens: row.input_tokens, outputTokens: row.output_tokens ?? 0 },
    ...trialFindingsSchema.parse(JSON.parse(findings)),
  };
}

/** The error for stored bytes that are not those that were written. */
export function corrupt(what: string): AssayError {
  return new AssayError('STORE_CORRUPT', `The stored bytes of ${what} are damaged.`);
}

function rowChecksum(row: TrialColumns): number {
  return crc32(
    JSON.stringify([
      row.trial_id,
      row.run_id,
      row.ordinal,
      row.scenario,
      row.file,
      row.case_id,
      row.variant,
      row.repeat,
      row.outcome,
      row.reason,
      row.fault_code,
      row.started_at,
      row.duration_ms,
      row.cost_usd,
      row.input_tokens,
      row.output_tokens,
      row.findings_pack,
      row.trace_pack,
      row.slot,
    ]),
  );
}
