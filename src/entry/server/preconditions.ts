import type { Context } from 'hono';
import * as z from 'zod';
import { isRecord } from '../../shared/json.ts';
import { Refusal } from './refusal.ts';
import type { ApiRoute } from './route.ts';

/** Whether the route writes or deletes something that has a revision. */
function hasRevision({ method, body }: ApiRoute): boolean {
  return method !== 'get' && body instanceof z.ZodObject && 'revision' in body.shape;
}

/**
 * The body with the revision of `If-Match` (or none with `If-None-Match: *`). A request that names neither a header nor a
 * revision could overwrite a change that its sender has not seen.
 */
export function withPrecondition(c: Context, route: ApiRoute, body: unknown): unknown {
  if (!hasRevision(route) || !isRecord(body)) return body;
  const revision = revisionOf(c);
  if (revision !== undefined) return { ...body, revision };
  // Bodies that are wrong otherwise are refused by their schema.
  if ('revision' in body || !isOnlyRevisionMissing(route, body)) return body;
  throw new Refusal(428, 'PRECONDITION_NEEDED', 'The request does not name the revision that it changes.', {
    hint: 'Send `If-Match` with the ETag that you read, `If-None-Match: *` for something new, or `revision` in the body.',
  });
}

function isOnlyRevisionMissing({ body: schema }: ApiRoute, body: Record<string, unknown>): boolean {
  return schema?.safeParse({ ...body, revision: null }).success === true;
}

function revisionOf(c: Context): string | null | undefined {
  if (c.req.header('if-none-match')?.trim() === '*') return null;
  const written = c.req.header('if-match')?.trim();
  return written === undefined ? undefined : written.replace(/^(?:W\/)?"(.*)"$/, '$1');
}

/** The ETag of an answer that has a revision. */
export function addEntityTag(c: Context, answer: unknown): void {
  if (isRecord(answer) && typeof answer.revision === 'string') c.header('etag', `"${answer.revision}"`);
}

/** A conflict has the status that HTTP has for a header that does not match, where the request had one. */
export function conflictOf(c: Context, error: unknown): unknown {
  const hasHeader = c.req.header('if-match') !== undefined || c.req.header('if-none-match') !== undefined;
  if (!hasHeader || !(error instanceof Refusal) || error.code !== 'FILE_CONFLICT') return error;
  return new Refusal(412, error.code, error.message, { hint: error.hint, details: error.details });
}
