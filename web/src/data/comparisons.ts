import { queryOptions } from '@tanstack/react-query';
import type { Comparison } from '../../../src/report/compare/comparison.ts';
import type { TrialsDiff } from '../../../src/report/compare/trajectory/trajectory-comparison.ts';
import { api } from './api.ts';

/** Which two sides are compared: two runs, or two variants of one. */
export interface ComparisonRequest {
  readonly a: string;
  readonly b?: string | undefined;
  readonly by?: string | undefined;
  readonly valueA?: string | undefined;
  readonly valueB?: string | undefined;
  readonly force?: boolean | undefined;
}

/** Two sides next to each other. */
export function comparisonQuery(request: ComparisonRequest) {
  return queryOptions({
    queryKey: ['comparison', request],
    queryFn: ({ signal }) => api.get<Comparison>('/compare', { ...request }, signal),
  });
}

/** The steps of two trials next to each other. */
export function trialsDiffQuery(a: string, b: string) {
  return queryOptions({
    queryKey: ['diff', a, b],
    queryFn: ({ signal }) => api.get<TrialsDiff>('/diff', { a, b }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
