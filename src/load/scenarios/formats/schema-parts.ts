import * as z from 'zod';

/** What a schema says of itself that may also be written as a text; JSON Schemas are made from it. */
export const alsoText = { alsoText: true } as const;

/** A value that may also be written as a text, which `meaning` makes it of. */
export function orText<Schema extends z.ZodType>(meaning: (text: string) => unknown, schema: Schema) {
  return z.preprocess((value) => (typeof value === 'string' ? meaning(value) : value), schema).meta(alsoText);
}

/** `worker:` of a scenario file: what a machine must have to run its trials. */
export const workerSectionSchema = z
  .strictObject({ tags: z.array(z.string().min(1)).default([]).describe('tags that a worker must have') })
  .optional()
  .describe('which workers may run the trials of a distributed run');
