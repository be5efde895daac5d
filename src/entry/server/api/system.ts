import * as z from 'zod';

/** A tool of an MCP server as the stored runs know it. */
const mcpToolSchema = z.object({
  name: z.string(),
  description: z.string().nullable(),
  sha256: z.string().describe('of its definition'),
  pin: z.enum(['same', 'changed', 'new', 'gone', 'unpinned']).describe('against the run before'),
  calls: z.number(),
  errors: z.number().describe('of calls; without those that a test expected'),
  expectedErrors: z.number().describe('errors that a test expected, such as a refusal of arguments'),
  tests: z.number(),
  testsPassed: z.number(),
  medianMs: z.number().nullable(),
});

/** MCP servers that scenarios or stored runs know, with what is known of their tools. */
export const mcpServersSchema = z.object({
  servers: z.array(
    z.object({
      label: z.string(),
      name: z.string().nullable(),
      version: z.string().nullable(),
      protocolVersion: z.string().nullable(),
      transport: z.string().nullable(),
      file: z.string().nullable().describe('the scenario file that names it'),
      connectFile: z.string().nullable().describe('a file that names it now, so it can be connected to'),
      lastRunId: z.string().nullable(),
      lastSeenAt: z.number().nullable(),
      health: z.object({ passed: z.number(), failed: z.number(), error: z.number() }),
      coverage: z.object({ tested: z.number(), tools: z.number() }),
      tools: z.array(mcpToolSchema),
    }),
  ),
  runsLookedAt: z.number(),
});
export type McpServers = z.infer<typeof mcpServersSchema>;

/** Webhooks of the config, and what they have not taken yet. */
export const webhooksSchema = z.object({
  items: z.array(
    z.object({
      host: z.string().describe('of its URL, whose path may be a secret'),
      events: z.array(z.string()),
      waiting: z
        .array(
          z.object({
            id: z.string(),
            event: z.string(),
            createdAt: z.number(),
            attempts: z.number(),
            lastFailure: z.string().nullable(),
          }),
        )
        .describe('sent again after the next run'),
    }),
  ),
});
export type Webhooks = z.infer<typeof webhooksSchema>;

/** The workers of a shared store and the waiting trials. */
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

const workSchema = z.object({
  kind: z.string().describe('compare, variants, several-runs, grid, breakdown, figures, trials, report, check or plan'),
  runIds: z.array(z.string()).describe('of the runs that it reads; empty where it reads files'),
  isWaiting: z.boolean().describe('for other work to end'),
  read: z.number().describe('trials that were read so far'),
  trials: z.number().describe('trials of these runs'),
});
export type Work = z.infer<typeof workSchema>;

/** Work of the server that takes long. */
export const workListSchema = z.object({ items: z.array(workSchema) });
export type WorkList = z.infer<typeof workListSchema>;
