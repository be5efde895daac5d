import { comparisonQuery, comparisonSchema, trialDiffQuery, trialsDiffSchema } from '../api/trials.ts';
import { compareStored } from '../compare/compare-stored.ts';
import { diffStored } from '../compare/diff-stored.ts';
import { jsonRoute } from '../route.ts';

const tag = 'comparisons';

/** Runs and trials side by side. */
export const compareRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/compare',
    tag,
    summary: 'Two runs, or two variants of one: is B better than A?',
    query: comparisonQuery,
    answer: comparisonSchema,
    handle: ({ query }, context) => compareStored(query, context),
  }),
  jsonRoute({
    method: 'get',
    path: '/api/diff',
    tag,
    summary: 'What was done in two trials, side by side.',
    query: trialDiffQuery,
    answer: trialsDiffSchema,
    handle: ({ query: { a, b } }, context) => diffStored(a, b, context),
  }),
];
