import * as z from 'zod';
import { roleSchema } from './access.ts';

/** A page of a list; `next` is the cursor of the next page, null at the end. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().nullable() });
}

/** The query of a page of a list. */
export const pagingQuery = {
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: z.string().max(1_000).optional().describe('`next` of the page before'),
};

/** The body of every refusal: what happened, and what to do. */
export const apiErrorSchema = z.object({
  error: z.string(),
  code: z.string().describe('of the table of errors'),
  hint: z.string().optional(),
  neededRole: roleSchema.optional().describe('of a token that may do this; with the code ROLE_NEEDED'),
  current: z
    .unknown()
    .optional()
    .describe('what the request wanted to change as it is now, null where it is gone; with the code FILE_CONFLICT'),
  problems: z
    .array(
      z.object({
        file: z.string(),
        line: z.number(),
        column: z.number(),
        message: z.string(),
        hint: z.string().optional(),
      }),
    )
    .optional(),
});
export type ApiError = z.infer<typeof apiErrorSchema>;
