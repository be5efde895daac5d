import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../../src/testing/support/http-server.ts';
import { braintrustModel } from './braintrust.ts';
import { langfuseModel } from './langfuse.ts';
import { phoenixModel } from './phoenix.ts';
import { type Fate, type Model, Refusal, type Request, type Service } from './service.ts';

const models = { langfuse: langfuseModel, braintrust: braintrustModel, phoenix: phoenixModel };
export const serviceNames = Object.keys(models) as (keyof typeof models)[];

export async function serviceOf(name: keyof typeof models): Promise<Service> {
  const model = models[name]();
  const requests: Request[] = [];
  const state = { requests, fate: (_index: number, _request: Request): Fate => 'answer' };
  const server = createServer(async (incoming, response) => {
    const request = await read(incoming);
    const fate = state.fate(requests.push(request) - 1, request);
    if (typeof fate === 'number') return answer(response, fate, { message: `status ${fate} as planned` });
    try {
      const answered = dispatch(model, request);
      if (fate === 'lose the answer') response.destroy();
      else answer(response, 200, answered);
    } catch (error) {
      answer(response, error instanceof Refusal ? error.status : 422, { message: String(error) });
    }
  });
  const url = await listen(server, 'http');
  return Object.assign(state, { env: model.envOf(url), seen: () => model.seen() });
}

async function read(incoming: IncomingMessage): Promise<Request> {
  const text = Buffer.concat(await incoming.toArray()).toString('utf8');
  const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://service');
  const { method = '', headers } = incoming;
  return { method, path: pathname, query: searchParams, headers, body: text === '' ? undefined : JSON.parse(text) };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function dispatch({ authorization, routes }: Model, request: Request): object {
  if (request.headers.authorization !== authorization) throw new Refusal(401, 'who are you?');
  if (request.body !== undefined && request.headers['content-type'] !== 'application/json')
    throw new Refusal(415, 'JSON only');
  for (const [pattern, route] of Object.entries(routes)) {
    const [method, path = ''] = pattern.split(' ');
    const found = new RegExp(`^${path.replaceAll(/:\w+/g, '([^/]+)')}$`).exec(request.path);
    if (found && method === request.method) return route(request, found.slice(1));
  }
  throw new Refusal(404, `no ${request.method} ${request.path}`);
}
