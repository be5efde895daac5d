import * as z from 'zod';

/** Which scenarios are meant, the same in every tool that takes some. */
export const scenarioChoice = () => ({
  paths: z
    .array(z.string().min(1))
    .max(200)
    .optional()
    .describe('scenario files or folders, relative to the project; leave out for all scenarios of the project'),
  tags: z.array(z.string().min(1)).max(50).optional().describe('only scenarios with at least one of these tags'),
  tier: z
    .int()
    .min(0)
    .optional()
    .describe('only scenarios of this tier or below (0 smoke, 1 quick, 2 standard, 3 all)'),
});

/** Where a page of a list begins and how long it is. */
export const pageOf = (defaultLimit: number, maxLimit: number) => ({
  from: z.int().min(0).default(0).describe('how many to pass over; the answer says what to ask for next'),
  limit: z.int().min(1).max(maxLimit).default(defaultLimit).describe('most entries in one answer'),
});
