import * as z from 'zod';

/** The JSON Schema of a reply as providers take it: without the dialect, which some of them refuse. */
export function replyJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(schema);
  return jsonSchema;
}
