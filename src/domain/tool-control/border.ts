import * as z from 'zod';

/** Where a call was acted on: in front of a program, an MCP server, a model, or a tool that Assay calls itself. */
export const borderSchema = z.enum(['cli', 'mcp', 'model', 'call']);
export type Border = z.infer<typeof borderSchema>;
