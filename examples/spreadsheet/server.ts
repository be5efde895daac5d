import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { argumentsSchema } from './src/arguments.ts';
import { bulkUpdateSpreadsheet } from './tool.ts';

const inputSchema = argumentsSchema.extend({
  dryRun: z.boolean().optional().describe('true, the default, previews and changes nothing; false commits'),
});

const outputSchema = z.object({
  dryRun: z.boolean(),
  affectedRows: z.number(),
  changedCells: z.number(),
  message: z.string(),
  executionTime: z.number().describe('milliseconds'),
  preview: z.array(z.looseObject({})).optional().describe('the first changed cells of a dry run'),
  committed: z.boolean().optional(),
  newStorageId: z.string().optional(),
});

/** The spreadsheet tool as an MCP server over stdio; what it throws becomes an error result with its message. */
export async function serve(): Promise<void> {
  const server = new McpServer({ name: 'spreadsheet', version: '1.0.0' });
  server.registerTool(
    'bulk_update_spreadsheet',
    {
      title: 'Bulk update',
      description:
        'Updates many cells of a spreadsheet at once. Previews by default and changes nothing; commits a new version only with dryRun=false and confirm=true.',
      inputSchema,
      outputSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    },
    async (args) => {
      const result = await bulkUpdateSpreadsheet(args);
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } };
    },
  );
  await server.connect(new StdioServerTransport());
}
