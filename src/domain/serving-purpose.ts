import * as z from 'zod';

/** Models that take part in a trial and are not under test: one that plays the user, and one that plays tools. */
export const servingPurposeSchema = z.enum(['persona', 'simulation']);
export type ServingPurpose = z.infer<typeof servingPurposeSchema>;
