import { scenarioListSchema } from '../api/project.ts';
import { jsonRoute } from '../route.ts';

/** The scenarios of the project. */
export const scenarioRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/scenarios',
    tag: 'project',
    summary: 'Every scenario with how it ended last, and the files that cannot be read with their problems.',
    answer: scenarioListSchema,
    async handle(_request, { desk }) {
      const { items, broken } = await desk.scenarios.list();
      const last = await desk.lastOutcomes.of(items.map(({ name }) => name));
      return { items: items.map((item) => ({ ...item, last: last.get(item.name) ?? null })), broken };
    },
  }),
];
