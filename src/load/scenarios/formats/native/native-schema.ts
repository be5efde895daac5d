import * as z from 'zod';
import type { Border } from '../../../../domain/tool-control/fault-kinds.ts';
import { faultsSectionSchema } from '../../../../domain/tool-control/faults.ts';
import { toolsSectionSchema } from '../../../../domain/tool-control/mocks.ts';
import { replaySectionSchema } from '../../../../domain/tool-control/replay.ts';
import type { Evaluator } from '../../../../score/evaluators/evaluator.ts';
import { lazySchema } from '../../../../shared/lazy-schema.ts';
import { caseKeys, clusterKey, criteriaKeys, datasetSectionSchema } from '../../datasets/dataset-schema.ts';
import type { ScenarioParts } from '../../scenario-format.ts';
import { caseCiSchema, ciSectionSchema } from '../ci-section.ts';
import { evaluatorSpecSchema } from '../evaluators-section.ts';
import { judgeSectionSchema } from '../judge-section.ts';
import { sourceSectionSchema, workerSectionSchema } from '../schema-parts.ts';

const caseSchema = lazySchema(() =>
  z.strictObject({
    name: z.string().min(1).optional().describe('name of the case'),
    input: z.unknown().describe('input of the tool'),
    ...clusterKey(),
    ...caseKeys(),
    ...criteriaKeys(),
    ci: caseCiSchema,
  }),
);

/** The schema of a native scenario file, computed from the registered parts. */
export function nativeSchema(parts: Pick<ScenarioParts, 'evaluators'>, callSchema: z.ZodType, border: Border = 'mcp') {
  return z.strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1).describe('name of the scenario'),
    description: z.string().default('').describe('what the scenario is for'),
    tags: z.array(z.string().min(1)).default([]).describe('labels that `--tags` selects by'),
    tier: z.int().min(0).default(0).describe('0 smoke, 1 quick, 2 standard, 3 comprehensive'),
    call: callSchema.describe('the tool under test'),
    input: z.unknown().optional().describe('input of the tool, for a scenario with one case'),
    cases: z.array(caseSchema).min(1).optional().describe('inputs with their own criteria'),
    dataset: datasetSectionSchema.optional().describe('file with one case per row: JSON, JSONL or CSV'),
    ...caseKeys(),
    ...criteriaKeys(),
    evaluators: z.array(evaluatorSpecSchema(parts.evaluators)).default([]).describe('assertions and metrics'),
    judge: judgeSectionSchema.optional().describe('verdict of a judge model'),
    tools: toolsSectionSchema,
    faults: faultsSectionSchema(border),
    replay: replaySectionSchema,
    repeat: z.int().min(1).max(10_000).default(1).describe('trials of each case'),
    timeoutSecs: z.number().positive().max(86_400).optional().describe('time limit for one trial, in seconds'),
    ci: ciSectionSchema,
    worker: workerSectionSchema,
    source: sourceSectionSchema,
  });
}

export type NativeScenario = z.output<ReturnType<typeof nativeSchema>>;

/** Evaluators for direct calls, which have no work directory. */
export function callEvaluators(evaluators: readonly Evaluator[]): readonly Evaluator[] {
  return evaluators.filter(({ needs }) => !needs.includes('workspace'));
}
