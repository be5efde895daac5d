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
      current: z.array(
        z.object({
          trialId: z.string(),
          runId: z.string(),
          scenario: z.string(),
          caseId: z.string(),
          attempt: z.number().describe('from 1'),
          sinceMs: z.number(),
        }),
      ),
      notes: z.array(z.string()).describe('why it does not take what waits'),
      upMs: z.number(),
      secondsSinceHeartbeat: z.number(),
    }),
  ),
  waiting: z.array(
    z.object({
      runId: z.string(),
      priority: z.number(),
      waiting: z.number(),
      running: z.number(),
      done: z.number(),
      whyNobody: z.string().nullable().describe('where no worker can take what waits'),
    }),
  ),
});
export type Workers = z.infer<typeof workersSchema>;
