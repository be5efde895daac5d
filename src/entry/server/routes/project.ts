import * as z from 'zod';
import { fileJsonSchema } from '../../../compose/config/file-schemas.ts';
import { rubricSchema } from '../../../domain/rubric.ts';
import { once } from '../../../shared/async.ts';
import { sessionOf } from '../access/caller.ts';
import { projectListSchema, sessionSchema, sharedTokenSchema } from '../api/access.ts';
import {
  connectorTypeSchema,
  deleteRevisionSchema,
  evaluatorTypeSchema,
  namedScenarioSchema,
  rubricListSchema,
  scenarioFormatsSchema,
  scenarioListSchema,
  settingsSchema,
  statusSchema,
  writeNamedScenarioSchema,
} from '../api/project.ts';
import { scenarioStatsQuery, scenarioStatsSchema } from '../api/stats.ts';
import { scenarioStats } from '../catalog/scenario-stats.ts';
import { connectorTypes, evaluatorTypes, readSettings, readStatus } from '../catalog/settings.ts';
import { doneOrConflict } from '../files/project-files.ts';
import { jsonRoute } from '../route.ts';

/** The first request of the pages. */
export const statusRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/status',
    tag: 'project',
    role: 'reader',
    summary: 'The project that is served.',
    answer: statusSchema,
    handle: (_request, context) => readStatus(context),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/session',
    tag: 'project',
    role: 'reader',
    summary: 'The role of the token, and what it may do.',
    answer: sessionSchema,
    handle: async ({ caller }) => sessionOf(caller),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/shared-tokens',
    tag: 'project',
    role: 'owner',
    summary: 'Makes a token with the role reader for a link that is given to others.',
    body: z.strictObject({}),
    status: 201,
    answer: sharedTokenSchema,
    handle: (_request, { tokens }) => tokens.createFor('shared', 'reader'),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/projects',
    tag: 'project',
    role: 'reader',
    summary: 'The projects of the workspace. Every route is also below `/projects/{id}`, for that project.',
    answer: projectListSchema,
    handle: (_request, { projects }) => projects(),
  }),
];

/** The settings of the program. */
export const settingsRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/settings',
    tag: 'project',
    role: 'reader',
    summary: 'Models, prices, judge and agents; of keys only whether they are set.',
    answer: settingsSchema,
    handle: (_request, context) => readSettings(context),
  }),
];

/** The scenarios of the project. */
export const scenarioRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/scenarios',
    tag: 'project',
    role: 'reader',
    summary: 'Every scenario with how it ended last, and the files that cannot be read with their problems.',
    answer: scenarioListSchema,
    async handle(_request, { projectCache }) {
      const { items, broken } = await projectCache.scenarios.list();
      const last = await projectCache.lastOutcomes.of(items.map(({ name }) => name));
      return { items: items.map((item) => ({ ...item, last: last.get(item.name) ?? null })), broken };
    },
  }),
];

/** Figures of a scenario over its runs. */
export const scenarioStatsRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/scenario-stats',
    tag: 'project',
    role: 'reader',
    summary: 'Pass rate, latency and tokens of a scenario in its last runs.',
    query: scenarioStatsQuery,
    answer: scenarioStatsSchema,
    handle: ({ query: { scenario } }, context) => scenarioStats(scenario, context),
  }),
];

const scenarioParams = z.object({ name: z.string().max(1_000) });

/** Scenarios by their names, in whichever file they are. */
export const namedScenarioRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/scenarios/{name}',
    tag: 'project',
    role: 'reader',
    summary: 'A scenario as its file has it; secrets are masked.',
    params: scenarioParams,
    answer: namedScenarioSchema,
    handle: ({ params: { name } }, { projectCache }) => projectCache.namedScenarios.read(name),
  }),
  jsonRoute({
    method: 'put',
    path: '/api/scenarios/{name}',
    tag: 'project',
    role: 'editor',
    summary: 'Creates or changes a scenario in its file; comments stay, and one that could not be run is refused.',
    params: scenarioParams,
    body: writeNamedScenarioSchema,
    answer: namedScenarioSchema,
    handle: async ({ params: { name }, body }, { projectCache }) =>
      doneOrConflict(await projectCache.namedScenarios.write(name, body)),
  }),
  jsonRoute({
    method: 'delete',
    path: '/api/scenarios/{name}',
    tag: 'project',
    role: 'editor',
    summary: 'Deletes a scenario, and its file if nothing else is in it.',
    params: scenarioParams,
    body: deleteRevisionSchema,
    answer: z.null(),
    handle: async ({ params: { name }, body }, { projectCache }) =>
      doneOrConflict(await projectCache.namedScenarios.delete(name, body.revision)),
  }),
];

const schemaNames = {
  tool: 'scenario',
  'cli-tool': 'cli-tool',
  conversation: 'conversation',
  'mcp-server': 'mcp-server',
} as const;
const kinds = Object.keys(schemaNames) as (keyof typeof schemaNames)[];

/** They are those of the program, and writing them takes a while. */
const scenarioFormats = once(async () => ({
  items: kinds.map((kind) => ({ kind, schema: withoutEvaluators(schemaNames[kind]) })),
}));

/** The schemas behind the forms for scenario files. */
export const scenarioFormatRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/scenario-formats',
    tag: 'project',
    role: 'reader',
    summary: 'Schema of each kind of scenario file.',
    answer: scenarioFormatsSchema,
    handle: scenarioFormats,
  }),
];

function withoutEvaluators(name: (typeof schemaNames)[keyof typeof schemaNames]): Record<string, unknown> {
  const { properties, ...schema } = fileJsonSchema(name) as { properties?: Record<string, unknown> };
  return { ...schema, properties: { ...properties, evaluators: undefined } };
}

/** The rubrics of the project. */
export const rubricRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/rubrics',
    tag: 'project',
    role: 'reader',
    summary: 'Every rubric file with its problems, and the schema of such files.',
    answer: rubricListSchema,
    handle: async (_request, { projectCache }) => ({
      items: await projectCache.rubrics.read(),
      schema: z.toJSONSchema(rubricSchema, { io: 'input' }),
    }),
  }),
];

const tag = 'project';

/** The parts that scenarios can name, with the schemas of their configs. */
export const partTypeRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/evaluator-types',
    tag,
    role: 'reader',
    summary: 'Assertions and metrics with the JSON Schemas of their configs.',
    answer: z.array(evaluatorTypeSchema),
    handle: async (_request, { project }) => evaluatorTypes((await project()).parts),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/connector-types',
    tag,
    role: 'reader',
    summary: 'Kinds of connector with the JSON Schemas of their configs.',
    answer: z.array(connectorTypeSchema),
    handle: async (_request, { project }) => connectorTypes((await project()).parts),
  }),
];
