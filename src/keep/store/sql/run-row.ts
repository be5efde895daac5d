import type { Insertable, Selectable } from 'kysely';
import * as z from 'zod';
import { type RunHeader, runRequestSchema, runScenarioSchema, runStatusSchema } from '../../../domain/run.ts';
import type { Tables } from './tables.ts';

const scenariosSchema = z.array(runScenarioSchema);

/** A run as a row. */
export function runRow(run: RunHeader): Insertable<Tables['runs']> {
  return {
    run_id: run.runId,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    status: run.status,
    planned: run.planned,
    assay_version: run.assayVersion,
    request: JSON.stringify(run.request),
    scenarios: JSON.stringify(run.scenarios),
  };
}

/** The run of a row. */
export function runOf(row: Selectable<Tables['runs']>): RunHeader {
  return {
    runId: row.run_id,
    startedAt: Number(row.started_at),
    finishedAt: row.finished_at === null ? null : Number(row.finished_at),
    status: runStatusSchema.parse(row.status),
    planned: row.planned,
    assayVersion: row.assay_version,
    request: runRequestSchema.parse(JSON.parse(row.request)),
    scenarios: scenariosSchema.parse(JSON.parse(row.scenarios)),
  };
}
