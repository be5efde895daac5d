import type { ApiRoute } from '../../../entry/server/route.ts';
import { routes } from '../../../entry/server/routes/index.ts';

/** The route that a request belongs to. */
function routeOf(method: string, path: string): ApiRoute {
  const found = routes.find((route) => {
    const pattern = route.path
      .replace(/[.]/g, '\\.')
      .replace(/\{\w+\*\}/g, '.+')
      .replace(/\{\w+\}/g, '[^/]+');
    return route.method.toUpperCase() === method && new RegExp(`^${pattern}$`).test(path);
  });
  if (!found) throw new Error(`There is no route for ${method} ${path}.`);
  return found;
}

/** The JSON of an answer; throws where it is not what the schema of its route says. */
export async function checkAnswer<Answer>(method: string, url: string, response: Response): Promise<Answer> {
  const route = routeOf(method, url.split('?')[0] ?? '');
  if (response.status !== (route.status ?? 200)) {
    throw new Error(`${method} ${url} was answered with ${response.status}: ${await response.text()}`);
  }
  const answer: unknown = await response.json();
  if ('mediaTypes' in route.answer) throw new Error(`${method} ${url} is not answered with JSON.`);
  const parsed = route.answer.safeParse(answer);
  if (!parsed.success) throw new Error(`${method} ${url} is not what its schema says: ${parsed.error.message}`);
  return answer as Answer;
}
