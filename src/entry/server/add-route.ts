import type { Context, Hono } from 'hono';
import type * as z from 'zod';
import type { ServerContext } from './context.ts';
import { Refusal } from './refusal.ts';
import type { ApiRoute } from './route.ts';

const mostBodyBytes = 16 * 1024 * 1024;

/** Puts a route into the router, behind the checks of its schemas. */
export function addRoute(app: Hono, route: ApiRoute, context: ServerContext): void {
  app.on(route.method.toUpperCase(), routerPath(route.path), async (c) => {
    const params = checked(route.params, c.req.param(), 'path');
    const query = checked(route.query, c.req.query(), 'query');
    const body = route.body ? checked(route.body, await bodyOf(c), 'body') : undefined;
    const answer = await route.handle({ params, query, body, raw: c.req.raw }, context);
    return answer instanceof Response ? answer : c.json(answer, route.status ?? 200);
  });
}

/** In the notation of the router. */
function routerPath(path: string): string {
  return path.replace(/\{(\w+)\*\}/g, ':$1{.+}').replace(/\{(\w+)\}/g, ':$1');
}

function checked(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  const what = path === '' ? `The ${where} of the request` : `\`${path}\` in the ${where} of the request`;
  throw new Refusal(400, 'REQUEST_INVALID', `${what} is wrong: ${issue?.message}.`, {
    hint: 'GET /api/openapi.json tells what each route takes.',
  });
}

async function bodyOf(c: Context): Promise<unknown> {
  const tooLarge = () => new Refusal(413, 'REQUEST_TOO_LARGE', 'The request is larger than 16 MB.');
  if (Number(c.req.header('content-length') ?? 0) > mostBodyBytes) throw tooLarge();
  const text = await boundedText(c.req.raw.body, tooLarge);
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw new Refusal(400, 'REQUEST_INVALID', 'The body of the request is no JSON.');
  }
}

async function boundedText(body: ReadableStream<Uint8Array> | null, tooLarge: () => Refusal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
