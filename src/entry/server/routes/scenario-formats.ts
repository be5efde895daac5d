import { fileJsonSchema } from '../../../compose/config/file-schemas.ts';
import { scenarioFormatsSchema } from '../api/project.ts';
import { jsonRoute } from '../route.ts';

const schemaNames = {
  tool: 'scenario',
  'cli-tool': 'cli-tool',
  conversation: 'conversation',
  'mcp-server': 'mcp-server',
} as const;
const kinds = Object.keys(schemaNames) as (keyof typeof schemaNames)[];

/** What forms for scenario files are made from. */
export const scenarioFormatRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/scenario-formats',
    tag: 'project',
    summary: 'What each kind of scenario file may hold.',
    answer: scenarioFormatsSchema,
    handle: async () => ({ items: kinds.map((kind) => ({ kind, schema: withoutEvaluators(schemaNames[kind]) })) }),
  }),
];

function withoutEvaluators(name: (typeof schemaNames)[keyof typeof schemaNames]): Record<string, unknown> {
  const { properties, ...schema } = fileJsonSchema(name) as { properties?: Record<string, unknown> };
  return { ...schema, properties: { ...properties, evaluators: undefined } };
}
