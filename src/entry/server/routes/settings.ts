import { settingsSchema } from '../api/project.ts';
import { readSettings } from '../project/settings.ts';
import { jsonRoute } from '../route.ts';

/** What the program works with. */
export const settingsRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/settings',
    tag: 'project',
    summary: 'Models, prices, judge and agents; of keys only whether they are there.',
    answer: settingsSchema,
    handle: (_request, context) => readSettings(context),
  }),
];
