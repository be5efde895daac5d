import * as z from 'zod';

/** What a target, an agent or a file may tell of a trial beside the answer itself. */
export const reportSchema = z.enum(['tool-calls', 'usage', 'cost', 'latency', 'streaming']);
export type Report = z.infer<typeof reportSchema>;
