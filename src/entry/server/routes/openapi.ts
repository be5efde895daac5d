import * as z from 'zod';
import { openApiDocument } from '../openapi.ts';
import { type ApiRoute, jsonRoute } from '../route.ts';

/** The document that describes all routes, itself included. */
export function openApiRoute(others: readonly ApiRoute[]): ApiRoute {
  const route: ApiRoute = jsonRoute({
    method: 'get',
    path: '/api/openapi.json',
    tag: 'project',
    summary: 'This document.',
    answer: z.record(z.string(), z.unknown()),
    handle: async (_request, { version }) => openApiDocument([...others, route], version),
  });
  return route;
}
