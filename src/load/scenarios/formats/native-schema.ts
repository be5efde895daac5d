import * as z from 'zod';
import { criteriaListSchema } from '../../../score/criteria/source-schemas.ts';
import type { Evaluator } from '../../../score/evaluators/evaluator.ts';
import { isRecord } from '../../../shared/json.ts';
import { orText } from '../../sources/or-text.ts';
import type { ScenarioParts } from '../scenario-format.ts';
import { judgeSectionSchema } from './judge-section.ts';
import { workerSectionSchema } from './worker-section.ts';

const criteria = {
  passCriteria: criteriaListSchema.describe('boolean expressions that must all be true'),
  failCriteria: criteriaListSchema.describe('boolean expressions that must all be false'),
};

const aboutCase = {
  expected: z.unknown().optional().describe('available to criteria as `expected`'),
  expectedBehavior: z.string().optional().describe('what should happen, in words'),
};

const caseSchema = z.strictObject({
  name: z.string().min(1).optional().describe('name of the case'),
  input: z.unknown().describe('input of the tool'),
  ...aboutCase,
  ...criteria,
});

const datasetSchema = z.strictObject({
  path: z.string().min(1).describe('relative to the scenario file; may lie outside the project'),
  format: z.enum(['json', 'jsonl', 'csv']).optional().describe('by default from the file name'),
  types: z
    .record(z.string(), z.enum(['string', 'number', 'boolean', 'json']))
    .default({})
    .describe('how to read the cells of a CSV column; strings by default'),
});
export type DatasetConfig = z.output<typeof datasetSchema>;

/** Where a scenario names its dataset; the path alone is enough. */
export const datasetSectionSchema = orText((path) => ({ path }), datasetSchema);

/** One row of a dataset that says what is its input and what is not. */
export const rowSchema = z.strictObject({
  id: z.union([z.string(), z.number()]).optional(),
  name: z.string().optional(),
  metadata: z.unknown().optional().describe('kept out of the input'),
  input: z.unknown(),
  ...aboutCase,
  ...criteria,
});
export type Row = z.output<typeof rowSchema>;

/** The schema of a native scenario file, computed from the registered parts. */
export function nativeSchema(parts: Pick<ScenarioParts, 'evaluators'>, callSchema: z.ZodType) {
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
    ...aboutCase,
    ...criteria,
    evaluators: z.array(evaluatorSpecSchema(parts.evaluators)).default([]).describe('assertions and metrics'),
    judge: judgeSectionSchema.optional().describe('verdict of a judge model'),
    repeat: z.int().min(1).max(10_000).default(1).describe('trials of each case'),
    timeoutSecs: z.number().positive().max(86_400).optional().describe('time limit for one trial, in seconds'),
    worker: workerSectionSchema,
  });
}
export type NativeScenario = z.output<ReturnType<typeof nativeSchema>>;

/** Those that can judge a tool that is called directly, which leaves no work directory behind. */
export function callEvaluators(evaluators: readonly Evaluator[]): readonly Evaluator[] {
  return evaluators.filter(({ needs }) => !needs.includes('workspace'));
}

/**
 * Those that a scenario asks for, because making the schemas of all takes longer than reading the scenario; all of
 * them where one is named that there is not, so that its author learns which there are.
 */
export function namedEvaluators(value: unknown, evaluators: readonly Evaluator[]): readonly Evaluator[] {
  const written = isRecord(value) && Array.isArray(value.evaluators) ? (value.evaluators as unknown[]) : [];
  const types = new Set(written.map((entry) => (isRecord(entry) ? entry.type : undefined)));
  const named = evaluators.filter(({ type }) => types.has(type));
  return named.length === types.size && named.length > 0
    ? named
    : types.size === 0
      ? evaluators.slice(0, 1)
      : evaluators;
}

/** An evaluator that a scenario asks for, with the config that its kind takes. */
export function evaluatorSpecSchema(evaluators: readonly Evaluator[]) {
  const options = evaluators.map(({ type, configSchema, summary }) =>
    z.strictObject({ type: z.literal(type), config: configSchema.prefault({}) }).describe(summary),
  );
  type Option = (typeof options)[number];
  return z.discriminatedUnion('type', options as [Option, ...Option[]]);
}
