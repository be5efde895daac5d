import * as z from 'zod';

/** How an agent is kept apart from the rest of the machine. */
export const isolationTierSchema = z.enum(['none', 'process', 'bubblewrap', 'container']);
export type IsolationTier = z.infer<typeof isolationTierSchema>;
