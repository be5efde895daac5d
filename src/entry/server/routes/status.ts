import { statusSchema } from '../api/project.ts';
import { jsonRoute } from '../route.ts';
import { readStatus } from '../status.ts';

/** What the pages ask first. */
export const statusRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/status',
    tag: 'project',
    summary: 'What is served here.',
    answer: statusSchema,
    handle: (_request, context) => readStatus(context),
  }),
];
