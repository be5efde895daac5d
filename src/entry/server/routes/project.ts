import * as z from 'zod';
import { fileJsonSchema } from '../../../compose/config/file-schemas.ts';
import { rubricSchema } from '../../../domain/rubric.ts';
import { once } from '../../../shared/async.ts';
import { sessionOf } from '../access/caller.ts';
import { projectListSchema, sessionSchema, sharedLinksSchema, sharedTokenSchema, shareSchema } from '../api/access.ts';
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
import { route, tagged } from '../route.ts';

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

function withoutEvaluators(name: (typeof schemaNames)[keyof typeof schemaNames]): Record<string, unknown> {
  const { properties, ...schema } = fileJsonSchema(name) as { properties?: Record<string, unknown> };
  return { ...schema, properties: { ...properties, evaluators: undefined } };
}

/** The project, its settings, and the scenarios, rubrics and parts that it has. */
export const projectRoutes = tagged('project', [
  route('GET /api/status', 'reader', {
    summary: 'The project that is served.',
    answer: statusSchema,
    handle: (_request, context) => readStatus(context),
  }),
  route('GET /api/session', 'reader', {
    summary: 'The role of the token, and what it may do.',
    answer: sessionSchema,
    handle: async ({ caller }) => sessionOf(caller),
  }),
  route('POST /api/shared-tokens', 'owner', {
    summary: 'Makes a token with the role reader for a link that is given to others.',
    body: shareSchema,
    status: 201,
    answer: sharedTokenSchema,
    handle: ({ body: { days } }, { tokens }) => tokens.share(days),
  }),
  route('GET /api/shared-tokens', 'owner', {
    summary: 'Tokens of links that were given to others and have not expired, the newest first.',
    answer: sharedLinksSchema,
    handle: async (_request, { tokens }) => ({ items: tokens.shared() }),
  }),
  route('DELETE /api/shared-tokens/{name}', 'owner', {
    summary: 'Ends the access of such a link at once.',
    answer: z.null(),
    async handle({ params: { name } }, { tokens }) {
      await tokens.endShared(name);
      return null;
    },
  }),
  route('GET /api/projects', 'reader', {
    summary: 'The projects of the workspace. Every route is also below `/projects/{id}`, for that project.',
    answer: projectListSchema,
    handle: (_request, { projects }) => projects(),
  }),
  route('GET /api/settings', 'reader', {
    summary: 'Models, prices, judge and agents; of keys only whether they are set.',
    answer: settingsSchema,
    handle: (_request, context) => readSettings(context),
  }),
  route('GET /api/scenarios', 'reader', {
    summary: 'Every scenario with how it ended last, and the files that cannot be read with their problems.',
    answer: scenarioListSchema,
    async handle(_request, { projectCache }) {
      const { items, broken } = await projectCache.scenarios.list();
      const last = await projectCache.lastOutcomes.of(items.map(({ name }) => name));
      return { items: items.map((item) => ({ ...item, last: last.get(item.name) ?? null })), broken };
    },
  }),
  route('GET /api/scenario-stats', 'reader', {
    summary: 'Pass rate, scores, latency and tokens of a scenario in its last runs.',
    query: scenarioStatsQuery,
    answer: scenarioStatsSchema,
    handle: ({ query: { scenario } }, context) => scenarioStats(scenario, context),
  }),
  route('GET /api/scenarios/{name}', 'reader', {
    summary: 'A scenario as its file has it; secrets are masked.',
    answer: namedScenarioSchema,
    handle: ({ params: { name } }, { projectCache }) => projectCache.namedScenarios.read(name),
  }),
  route('PUT /api/scenarios/{name}', 'editor', {
    summary: 'Creates or changes a scenario in its file; comments stay, and one that could not be run is refused.',
    body: writeNamedScenarioSchema,
    answer: namedScenarioSchema,
    handle: async ({ params: { name }, body }, { projectCache }) =>
      doneOrConflict(await projectCache.namedScenarios.write(name, body)),
  }),
  route('DELETE /api/scenarios/{name}', 'editor', {
    summary: 'Deletes a scenario, and its file if nothing else is in it.',
    body: deleteRevisionSchema,
    answer: z.null(),
    handle: async ({ params: { name }, body }, { projectCache }) =>
      doneOrConflict(await projectCache.namedScenarios.delete(name, body.revision)),
  }),
  route('GET /api/scenario-formats', 'reader', {
    summary: 'Schema of each kind of scenario file.',
    answer: scenarioFormatsSchema,
    handle: scenarioFormats,
  }),
  route('GET /api/rubrics', 'reader', {
    summary: 'Every rubric file with its problems, and the schema of such files.',
    answer: rubricListSchema,
    handle: async (_request, { projectCache }) => ({
      items: await projectCache.rubrics.read(),
      schema: z.toJSONSchema(rubricSchema, { io: 'input' }),
    }),
  }),
  route('GET /api/evaluator-types', 'reader', {
    summary: 'Assertions and metrics with the JSON Schemas of their configs.',
    answer: z.array(evaluatorTypeSchema),
    handle: async (_request, { project }) => evaluatorTypes((await project()).parts),
  }),
  route('GET /api/connector-types', 'reader', {
    summary: 'Kinds of connector with the JSON Schemas of their configs.',
    answer: z.array(connectorTypeSchema),
    handle: async (_request, { project }) => connectorTypes((await project()).parts),
  }),
]);
