import { rubricListSchema } from '../api/project.ts';
import { jsonRoute } from '../route.ts';

/** The rubrics of the project. */
export const rubricRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/rubrics',
    tag: 'project',
    summary: 'Every rubric file with its problems.',
    answer: rubricListSchema,
    handle: async (_request, { desk }) => ({ items: await desk.rubrics.read() }),
  }),
];
