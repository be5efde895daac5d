import * as z from 'zod';
import { lazySchema } from '../../../shared/lazy-schema.ts';

/** Marks a schema whose value may also be written as text; used for JSON Schemas. */
export const alsoText = { alsoText: true } as const;

/** A value that may also be written as text, which `meaning` converts. */
export function orText<Schema extends z.ZodType>(meaning: (text: string) => unknown, schema: Schema) {
  return z.preprocess((value) => (typeof value === 'string' ? meaning(value) : value), schema).meta(alsoText);
}

/** `worker:` of a scenario file: requirements on the machine that runs its trials. */
export const workerSectionSchema = lazySchema(() =>
  z
    .strictObject({ tags: z.array(z.string().min(1)).default([]).describe('tags that a worker must have') })
    .optional()
    .describe('which workers may run the trials of a distributed run'),
);

/** `source:` of a scenario file that was made from something else. */
export const sourceSectionSchema = lazySchema(() =>
  z
    .strictObject({
      trial: z.string().min(1).optional().describe('id of the trial that it was promoted from'),
      run: z.string().min(1).optional().describe('id of the run of that trial'),
      trace: z.string().min(1).optional().describe('file with the trace that it was promoted from'),
      tool: z.string().min(1).optional().describe('tool that its cases were generated from'),
    })
    .optional()
    .describe('what `assay promote` or `assay generate` made the file from'),
);
