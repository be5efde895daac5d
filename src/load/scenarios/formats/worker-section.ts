import * as z from 'zod';

/** `worker:` of a scenario file: what a machine must have to run its trials. */
export const workerSectionSchema = z
  .strictObject({ tags: z.array(z.string().min(1)).default([]) })
  .optional()
  .describe('tags that a worker must have to run it, where trials are shared out between machines');
