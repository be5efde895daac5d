import { Hono } from 'hono';
import { addRoute } from './add-route.ts';
import type { ServerContext } from './context.ts';
import { type GuardSettings, guard, isApiPath } from './guard/guard.ts';
import { addSecurityHeaders } from './guard/security-headers.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { routes } from './routes/index.ts';
import { refusalPage } from './static/refusal-page.ts';
import type { WebFiles } from './static/web-files.ts';

/** The whole server: the guard, then the API, then the pages. */
export function createApp(context: ServerContext, settings: GuardSettings, webFiles: WebFiles): Hono {
  const app = new Hono();
  app.use('*', guard(settings));
  for (const route of routes) addRoute(app, route, context);
  app.get('*', async (c) => {
    if (isApiPath(c.req.path)) throw unknownRoute(c.req.path);
    return webFiles.respond(c.req.path, c.req.header('accept-encoding') ?? '');
  });
  app.notFound((c) => {
    throw unknownRoute(c.req.path);
  });
  app.onError((thrown, c) => {
    const { status, body } = refusalOf(thrown);
    const isApi = isApiPath(c.req.path);
    const response = isApi ? c.json(body, status) : c.html(refusalPage(body), status);
    return withSecurityHeaders(response, isApi);
  });
  return app;
}

function unknownRoute(path: string): Refusal {
  return new Refusal(404, 'NOT_FOUND', `There is nothing at ${path}.`, {
    hint: 'GET /api/openapi.json lists every route.',
  });
}

async function withSecurityHeaders(made: Response | Promise<Response>, isApi: boolean): Promise<Response> {
  const response = await made;
  addSecurityHeaders(response.headers, isApi);
  return response;
}
