import * as z from 'zod';
import { scenarioCiSchema } from '../../domain/ci.ts';
import { AssayError } from '../../domain/errors.ts';
import { toolHealthEntrySchema, workflowMetricSchema } from '../../domain/mcp-findings.ts';
import { onlyInput } from '../../domain/only-case.ts';
import { type TrialRecord, trialRecordSchema } from '../../domain/record.ts';
import { runOriginSchema, runStatusSchema } from '../../domain/run.ts';
import { scenarioIdentitySchema } from '../../domain/scenario-identity.ts';
import type { SideSource } from '../../report/compare/side-collector.ts';

const timeSchema = z.iso.datetime().transform((text) => Date.parse(text));

const trialSchema = trialRecordSchema.omit({ runId: true, ordinal: true, compositeScore: true }).extend({
  startedAt: timeSchema.default(0),
  usage: trialRecordSchema.shape.usage.default(null),
  evaluatorResults: trialRecordSchema.shape.evaluatorResults.default([]),
  metrics: trialRecordSchema.shape.metrics.default({}),
  criteria: trialRecordSchema.shape.criteria.default(null),
  judge: trialRecordSchema.shape.judge.default(null),
  fault: trialRecordSchema.shape.fault.default(null),
  caseId: z.string().default(onlyInput),
  composite_score: z.number().nullable().default(null),
  workflow_score: z.number().nullable().default(null),
  workflow: z.array(workflowMetricSchema).nullish(),
  toolHealth: z.array(toolHealthEntrySchema).nullish(),
});

/** The document of `assay run --json`, as far as a comparison reads it. */
export const runDocumentSchema = z.object({
  schema: z.literal('assay.run/1'),
  runId: z.string(),
  startedAt: timeSchema,
  status: runStatusSchema.default('finished'),
  assayVersion: z.string().nullable().default(null),
  origin: runOriginSchema.nullable().default(null).catch(null),
  totals: z.object({ planned: z.int().min(0) }),
  scenarios: z
    .array(
      z.object({
        name: z.string(),
        contentHash: z.string(),
        identity: scenarioIdentitySchema.optional(),
        repeat: z.number().optional(),
        ci: scenarioCiSchema.optional(),
      }),
    )
    .nullable()
    .default(null),
  trials: z.array(trialSchema),
});

/** A document of `assay run --json` as one side of a comparison. */
export function documentSource(document: unknown, file: string): SideSource {
  const parsed = runDocumentSchema.safeParse(document);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new AssayError('FILE_INVALID', `${file} is not a run: ${issue?.path.join('.')}: ${issue?.message}`, {
      hint: 'Write one with `assay run --json > run.json`.',
    });
  }
  const { runId, startedAt, status, assayVersion, scenarios, totals, trials, origin } = parsed.data;
  return {
    label: runId,
    run: {
      runId,
      startedAt,
      status,
      planned: totals.planned,
      assayVersion,
      scenarios,
      origin,
    },
    trials: recordsOf(trials, runId),
    readTrace: async () => undefined,
  };
}

async function* recordsOf(
  trials: z.infer<typeof runDocumentSchema>['trials'],
  runId: string,
): AsyncGenerator<TrialRecord, void> {
  for (const [ordinal, trial] of trials.entries()) {
    const { composite_score, workflow_score, workflow, toolHealth, ...rest } = trial;
    yield {
      ...rest,
      runId,
      ordinal,
      compositeScore: composite_score,
      workflowScore: workflow_score,
      workflow: workflow ?? [],
      toolHealth: toolHealth ?? [],
    };
  }
}
