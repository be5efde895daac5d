import { criteria } from './assertions/criteria.ts';
import { latencyBudget } from './assertions/latency-budget.ts';
import type { Evaluator } from './evaluator.ts';
import { duration } from './metrics/duration.ts';
import { measure } from './metrics/measure.ts';

/** Every evaluator. */
export const evaluators: readonly Evaluator[] = [criteria, latencyBudget, duration, measure];
