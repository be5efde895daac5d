import type * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';

const longestCursor = 1_000;

/** Where a page ended, as text that only the store reads. */
export function writeCursor(place: readonly (string | number | boolean)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The place that a cursor names; refuses what the store did not write for this list. */
export function readCursor<Place>(cursor: string, schema: z.ZodType<Place>): Place {
  const place = schema.safeParse(cursor.length > longestCursor ? undefined : parsed(cursor));
  if (place.success) return place.data;
  throw new AssayError('USAGE', 'This cursor does not belong to this list.', {
    hint: 'Start again without a cursor: a cursor is good for the list that gave it, in the same order.',
  });
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
