import { collectedTracesQuery, collectedTracesSchema, ruleListSchema } from '../api/traces.ts';
import { route, tagged } from '../route.ts';
import { collectedTraces } from '../traces/collected-traces.ts';
import { ruleTrends } from '../traces/rule-trends.ts';

/** Traces that were collected, and the rules on them. */
export const traceRoutes = tagged('traces', [
  route('GET /api/traces', 'reader', {
    summary: 'The traces that were collected in a period, the newest first, with the verdicts of the rules on each.',
    query: collectedTracesQuery,
    answer: collectedTracesSchema,
    handle: ({ query }, context) => collectedTraces(query, context),
  }),
  route('GET /api/rules', 'reader', {
    summary: 'How the runs of each rule of the config went, and whether its figures drifted.',
    answer: ruleListSchema,
    handle: async (_request, context) => ({ items: await ruleTrends(context) }),
  }),
]);
