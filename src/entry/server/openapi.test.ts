import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedProject, serveFiles } from '../../testing/fakes/server/served-project.ts';
import { apiErrorSchema } from './api/paging.ts';
import { documentPath } from './openapi.ts';
import { routes } from './routes/index.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

describe('the OpenAPI document', () => {
  let served: ServedProject;
  let document: Document;
  beforeAll(async () => {
    served = await serveFiles();
    document = await served.get<Document>('/api/openapi.json');
  });
  afterAll(() => served[Symbol.asyncDispose]());

  it('has every route of the router, and no other', () => {
    const routed = served.app.routes
      .filter(({ path, method }) => path.startsWith('/api/') && method !== 'ALL')
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`);
    const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual([...new Set(routed)].sort());
    expect(documented.length).toBe(routes.length);
  });

  it('names every parameter of a path, and each operation once', () => {
    const ids = new Set<string>();
    for (const [path, operations] of Object.entries(document.paths)) {
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      for (const { parameters, operationId, responses } of Object.values(operations)) {
        expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name)).toEqual(wanted);
        expect(ids.has(operationId)).toBe(false);
        ids.add(operationId);
        expect(Object.keys(responses)).toContain('default');
      }
    }
    expect(document.openapi).toBe('3.1.0');
    expect(documentPath('/api/files/{path*}')).toBe('/api/files/{path}');
  });

  it('describes what refusals look like', async () => {
    for (const path of ['/api/nothing', '/api/runs/r-none', '/api/runs?limit=x', '/api/trials/t-none']) {
      const response = await served.request(path);
      expect(response.status).toBeGreaterThanOrEqual(400);
      apiErrorSchema.parse(await response.json());
    }
  });

  it('is kept to: bodies that are wrong are refused, and break nothing', async () => {
    for (const { method, path, body } of routes) {
      if (!body || method === 'get') continue;
      const url = documentPath(path).replace(/\{\w+\}/g, 'x');
      const init = { method: method.toUpperCase(), headers: { 'content-type': 'application/json' } };
      for (const text of ['{', '[]', 'null', '"x"', '{"unknown":"key"}']) {
        const response = await served.request(url, { ...init, body: text });
        expect([method, url, text, response.status]).toEqual([method, url, text, 400]);
        apiErrorSchema.parse(await response.json());
      }
    }
  });
});
