import * as z from 'zod';

/** `worker:` of a scenario file: what a machine must have to run its trials. */
export const workerSectionSchema = z
  .strictObject({ tags: z.array(z.string().min(1)).default([]).describe('tags that a worker must have') })
  .optional()
  .describe('which workers may run the trials of a distributed run');
