import * as z from 'zod';

/** What a schema says of itself that may also be written as a text; JSON Schemas are made from it. */
export const alsoText = { alsoText: true } as const;

/** A value that may also be written as a text, which `meaning` makes it of. */
export function orText<Schema extends z.ZodType>(meaning: (text: string) => unknown, schema: Schema) {
  return z.preprocess((value) => (typeof value === 'string' ? meaning(value) : value), schema).meta(alsoText);
}
