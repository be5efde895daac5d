import * as z from 'zod';

/** Where a call was acted on: in front of a program, of an MCP server, or of a model. */
export const borderSchema = z.enum(['cli', 'mcp', 'model']);
export type Border = z.infer<typeof borderSchema>;
