import { workersSchema } from '../api/workers.ts';
import { jsonRoute } from '../route.ts';
import { readWorkers } from '../workers/read-workers.ts';

/** Workers of a shared store. */
export const workerRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/workers',
    tag: 'workers',
    summary: 'Who works on the trials of a shared store, and what waits.',
    answer: workersSchema,
    handle: (_request, context) => readWorkers(context),
  }),
];
