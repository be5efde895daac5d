import * as z from 'zod';

/** Facts that a target, an agent or a file may report about a trial besides the answer itself. */
export const reportSchema = z.enum(['tool-calls', 'usage', 'cost', 'latency', 'streaming']);
export type Report = z.infer<typeof reportSchema>;

/** Capability that an evaluator may require and a target may declare. */
export type Capability = 'call-answer' | 'turns' | 'judge' | 'workspace';
