import { type Context, Hono } from 'hono';
import type * as z from 'zod';
import { requireRole } from './access/caller.ts';
import type { ServerContext } from './context.ts';
import { type GuardSettings, guard, isApiPath, withoutToken } from './guard.ts';
import { plainPage } from './plain-page.ts';
import { addEntityTag, conflictOf, withPrecondition } from './preconditions.ts';
import { Refusal, refusalOf } from './refusal.ts';
import type { ApiRoute } from './route.ts';
import { routes } from './routes/index.ts';
import { addSecurityHeaders } from './security-headers.ts';
import type { WebFiles } from './web-files.ts';

const mostBodyBytes = 16 * 1024 * 1024;

/** Puts a route into the router, behind the checks of its schemas. */
function addRoute(app: Hono, route: ApiRoute, context: ServerContext): void {
  app.on(route.method.toUpperCase(), routerPath(route.path), async (c) => {
    const caller = c.get('caller');
    requireRole(caller, route.role);
    const params = checked(route.params, c.req.param(), 'path');
    const query = checked(route.query, c.req.query(), 'query');
    const body = route.body ? checked(route.body, withPrecondition(c, route, await bodyOf(c)), 'body') : undefined;
    const answer = await route.handle({ params, query, body, caller, raw: c.req.raw }, context);
    addEntityTag(c, answer);
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
    hint: 'See GET /api/openapi.json for the parameters of each route.',
  });
}

async function bodyOf(c: Context): Promise<unknown> {
  const tooLarge = () => new Refusal(413, 'REQUEST_TOO_LARGE', 'The request is larger than 16 MB.');
  if (Number(c.req.header('content-length') ?? 0) > mostBodyBytes) throw tooLarge();
  const text = await boundedText(c.req.raw.body, tooLarge);
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw new Refusal(400, 'REQUEST_INVALID', 'The request body is not JSON.');
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

/** Answers requests for one project; undefined where the workspace has none with that id. */
export type ProjectApps = (id: string) => Promise<Hono | undefined>;

/** Hands requests below `/projects/<id>` to the app of that project, with the rest of the path. */
function addProjects(app: Hono, projectApps: ProjectApps): void {
  app.all('/projects/:project/*', (c) => inProject(c, projectApps));
  app.all('/projects/:project', (c) => inProject(c, projectApps));
}

async function inProject(c: Context, projectApps: ProjectApps): Promise<Response> {
  const id = c.req.param('project') ?? '';
  const found = await projectApps(id);
  if (!found) {
    throw new Refusal(404, 'NOT_FOUND', `There is no project "${id}".`, {
      hint: 'See GET /api/projects for their ids.',
    });
  }
  const url = new URL(c.req.url);
  url.pathname = url.pathname.replace(/^\/projects\/[^/]+\/*/, '/');
  return found.fetch(new Request(url, c.req.raw));
}

/** The whole server: the guard, then the projects of a workspace, then the API, then the pages. */
export function createApp(
  context: ServerContext,
  settings: GuardSettings,
  webFiles: WebFiles,
  projectApps?: ProjectApps,
): Hono {
  const app = new Hono();
  app.use('*', guard(settings));
  if (projectApps) addProjects(app, projectApps);
  for (const route of routes) addRoute(app, route, context);
  app.get('*', async (c) => {
    if (isApiPath(c.req.path)) throw unknownRoute(c.req.path);
    return webFiles.respond(c.req.path, c.req.header('accept-encoding') ?? '');
  });
  app.notFound((c) => {
    throw unknownRoute(c.req.path);
  });
  app.onError((thrown, c) => {
    const { status, body } = refusalOf(conflictOf(c, thrown));
    const isApi = isApiPath(c.req.path);
    const response = isApi ? c.json(body, status) : plainPage(status, body, withoutToken(c.req.url));
    return withSecurityHeaders(response, isApi);
  });
  return app;
}

function unknownRoute(path: string): Refusal {
  return new Refusal(404, 'NOT_FOUND', `No route matches ${path}.`, {
    hint: 'See GET /api/openapi.json for every route.',
  });
}

async function withSecurityHeaders(made: Response | Promise<Response>, isApi: boolean): Promise<Response> {
  const response = await made;
  addSecurityHeaders(response.headers, isApi);
  return response;
}
