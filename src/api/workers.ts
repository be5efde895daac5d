import * as z from 'zod';

/** Who works on the trials of a shared store, and what waits. */
export const workersSchema = z.object({
  isShared: z.boolean(),
  whyNot: z.string().nullable().describe('and what to do, where the store is not one that workers share'),
  workers: z.array(
    z.object({
      workerId: z.string(),
      host: z.string(),
      version: z.string(),
      state: z.enum(['working', 'idle', 'draining', 'lost']),
      concurrency: z.number(),
      tags: z.array(z.string()),
      agents: z.array(z.string()),
      current: z.array(z.object({ trialId: z.string(), runId: z.string(), scenario: z.string(), sinceMs: z.number() })),
      finished: z.number(),
      secondsSinceHeartbeat: z.number(),
    }),
  ),
  waiting: z.array(
    z.object({
      runId: z.string(),
      waiting: z.number(),
      running: z.number(),
      needs: z.array(z.string()),
      whyNobody: z.string().nullable().describe('where no worker can take them'),
    }),
  ),
});
export type Workers = z.infer<typeof workersSchema>;
