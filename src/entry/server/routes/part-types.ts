import * as z from 'zod';
import { connectorTypeSchema, evaluatorTypeSchema } from '../api/project.ts';
import { connectorTypes, evaluatorTypes } from '../project/part-types.ts';
import { jsonRoute } from '../route.ts';

const tag = 'project';

/** The parts that scenarios can name, with the schemas of their configs. */
export const partTypeRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/evaluator-types',
    tag,
    summary: 'Assertions and metrics with the JSON Schemas of their configs.',
    answer: z.array(evaluatorTypeSchema),
    handle: async (_request, { project }) => evaluatorTypes((await project()).parts),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/connector-types',
    tag,
    summary: 'Kinds of connector with the JSON Schemas of their configs.',
    answer: z.array(connectorTypeSchema),
    handle: async (_request, { project }) => connectorTypes((await project()).parts),
  }),
];
