import * as z from 'zod';

/** A tool of an MCP server as the stored runs know it. */
export const mcpToolSchema = z.object({
  name: z.string(),
  description: z.string().nullable(),
  sha256: z.string().describe('of its definition'),
  pin: z.enum(['same', 'changed', 'new', 'gone', 'unpinned']).describe('against the run before'),
  calls: z.number(),
  errors: z.number(),
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
