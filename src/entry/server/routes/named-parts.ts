import * as z from 'zod';
import {
  connectorTestSchema,
  deleteRevisionSchema,
  namedPartsSchema,
  tryConnectorSchema,
  writeNamedPartSchema,
} from '../api/project.ts';
import { doneOrConflict } from '../project/conflict.ts';
import type { PartSection } from '../project/named-parts.ts';
import { testConnector } from '../project/test-connector.ts';
import { type ApiRoute, jsonRoute } from '../route.ts';

const params = z.object({ name: z.string().max(1_000) });

/** Personas and connectors, which stand in the config file. */
export const namedPartRoutes = [
  ...routesOf('personas'),
  ...routesOf('connectors'),
  jsonRoute({
    method: 'post',
    path: '/api/connectors/{name}/test',
    tag: 'connectors',
    summary: 'Says one thing to the agent behind a connector, and tells what comes back.',
    params,
    body: tryConnectorSchema,
    answer: connectorTestSchema,
    handle: ({ params: { name }, body, raw }, context) => testConnector(name, body.message, raw.signal, context),
  }),
];

function routesOf(section: PartSection): ApiRoute[] {
  return [
    jsonRoute({
      method: 'get',
      path: `/api/${section}`,
      tag: section,
      summary: `The ${section} of the config file as they are written; secrets are masked.`,
      answer: namedPartsSchema,
      handle: (_request, { desk }) => desk.parts[section].read(),
    }),
    jsonRoute({
      method: 'put',
      path: `/api/${section}/{name}`,
      tag: section,
      summary: 'Writes one into the config file, which is made where there is none; comments stay.',
      params,
      body: writeNamedPartSchema,
      answer: namedPartsSchema,
      handle: async ({ params: { name }, body }, { desk }) =>
        doneOrConflict(await desk.parts[section].write(name, body)),
    }),
    jsonRoute({
      method: 'delete',
      path: `/api/${section}/{name}`,
      tag: section,
      summary: 'Takes one out of the config file.',
      params,
      body: deleteRevisionSchema,
      answer: namedPartsSchema,
      handle: async ({ params: { name }, body }, { desk }) =>
        doneOrConflict(await desk.parts[section].delete(name, body.revision)),
    }),
  ];
}
