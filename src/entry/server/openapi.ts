import * as z from 'zod';
import { apiErrorSchema } from './api/paging.ts';
import { type ApiRoute, route, tagged } from './route.ts';

/** The OpenAPI 3.1 document of the routes, from the schemas that they are checked by. */
function openApiDocument(routes: readonly ApiRoute[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = documentPath(route.path);
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Assay', version, description: 'Runs, trials, comparisons and the files of one project.' },
    servers: [
      { url: '/', description: 'the first project' },
      {
        url: '/projects/{project}',
        description: 'any project of the workspace; see `GET /api/projects`',
        variables: { project: { default: '' } },
      },
    ],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { ApiError: jsonSchema(apiErrorSchema, 'output') },
    },
  };
}

/** In the notation of the document. */
export function documentPath(path: string): string {
  return path.replace(/\*\}/g, '}');
}

function operation(route: ApiRoute): Record<string, unknown> {
  const { tag, summary, body, role, status = 200 } = route;
  return {
    tags: [tag],
    summary,
    description: `Needs a token with the role ${role} or above.`,
    'x-role': role,
    operationId: operationId(route),
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
    ...(body
      ? { requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(body, 'input') } } } }
      : {}),
    responses: {
      [status]: answered(route),
      default: {
        description: 'The error and a hint.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiError' } } },
      },
    },
  };
}

function operationId({ method, path }: ApiRoute): string {
  const words = path.replace('/api/', '').split(/[^A-Za-z0-9]+/);
  return [method, ...words.filter((word) => word !== '')].join('-');
}

function answered({ answer }: ApiRoute): Record<string, unknown> {
  if ('mediaTypes' in answer) {
    const content = Object.fromEntries(answer.mediaTypes.map((type) => [type, { schema: { type: 'string' } }]));
    return { description: answer.description, content };
  }
  return {
    description: 'The requested data.',
    content: { 'application/json': { schema: jsonSchema(answer, 'output') } },
  };
}

function parameters(schema: z.ZodObject | undefined, where: 'path' | 'query'): Record<string, unknown>[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, { description?: string }>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }));
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...written } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return written;
}

/** The document that describes all routes, itself included. */
export function openApiRoutes(others: readonly ApiRoute[]): readonly ApiRoute[] {
  const own: readonly ApiRoute[] = tagged('project', [
    route('GET /api/openapi.json', 'reader', {
      summary: 'This document.',
      answer: z.record(z.string(), z.unknown()),
      handle: async (_request, { version }) => openApiDocument([...others, ...own], version),
    }),
  ]);
  return own;
}
