import * as z from 'zod';
import { serverDefinitionSchema } from '../../../mcp/server-definition.ts';

/** The server that suites are run against. */
export const suiteConfigSchema = () =>
  z.strictObject({
    server: serverDefinitionSchema().describe('how the MCP server is started or reached'),
    timeoutMs: z.number().min(1).default(30_000).describe('for one request, where the suite sets no `timeout`'),
  });
export type SuiteConfig = z.output<ReturnType<typeof suiteConfigSchema>>;
