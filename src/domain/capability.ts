import * as z from 'zod';

/** What a target, an agent or a file may tell of a trial beside the answer itself. */
export const reportSchema = z.enum(['tool-calls', 'usage', 'cost', 'latency', 'streaming']);
export type Report = z.infer<typeof reportSchema>;

/** What an evaluator may need from a target, and what a target says it provides. */
export type Capability = 'call-answer' | 'turns' | 'judge' | 'workspace';
