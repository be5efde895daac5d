import { dashboardSchema } from '../api/runs.ts';
import { jsonRoute } from '../route.ts';
import { dashboard } from '../runs/dashboard.ts';

/** The first page. */
export const dashboardRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/dashboard',
    tag: 'runs',
    summary: 'What was run of late, how it went over time, and what broke.',
    answer: dashboardSchema,
    handle: (_request, context) => dashboard(context),
  }),
];
