import * as z from 'zod';
import { criteriaListSchema } from '../../../score/criteria/source-schemas.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import { orText } from '../formats/schema-parts.ts';

/** Criteria that a scenario, a case or a row may have. */
export const criteriaKeys = () => ({
  passCriteria: criteriaListSchema.describe('boolean expressions that must all be true'),
  failCriteria: criteriaListSchema.describe('boolean expressions that must all be false'),
});

/** Keys that describe a case. */
export const caseKeys = () => ({
  expected: z.unknown().optional().describe('available to criteria as `expected`'),
  expectedBehavior: z.string().optional().describe('what should happen, in words'),
});

/** Cases with the same value resemble each other. */
export const clusterKey = () => ({
  cluster: z
    .union([z.string().min(1), z.number()])
    .optional()
    .describe('name of a group of cases that resemble each other; comparisons count groups'),
});

const datasetSchema = lazySchema(() =>
  z.strictObject({
    path: z.string().min(1).describe('relative to the scenario file; may lie outside the project'),
    format: z.enum(['json', 'jsonl', 'csv']).optional().describe('by default from the file name'),
    types: z
      .record(z.string(), z.enum(['string', 'number', 'boolean', 'json']))
      .default({})
      .describe('how to read the cells of a CSV column; strings by default'),
    cluster: z
      .string()
      .min(1)
      .optional()
      .describe(
        'column that says which rows resemble each other, such as their template; comparisons count clusters; by default `cluster` or `template`',
      ),
  }),
);
export type DatasetConfig = z.output<typeof datasetSchema>;

/** Where a scenario names its dataset; the path alone is enough. */
export const datasetSectionSchema = lazySchema(() => orText((path) => ({ path }), datasetSchema));

/** One row of a dataset that separates its input from its other fields. */
export const rowSchema = lazySchema(() =>
  z.strictObject({
    id: z.union([z.string(), z.number()]).optional(),
    name: z.string().optional(),
    metadata: z.unknown().optional().describe('kept out of the input'),
    ...clusterKey(),
    input: z.unknown(),
    ...caseKeys(),
    ...criteriaKeys(),
  }),
);
export type Row = z.output<typeof rowSchema>;
