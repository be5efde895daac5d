import { useQuery } from '@tanstack/react-query';
import type { EvaluatorType } from '../../../src/entry/server/api/project.ts';
import { api } from './api.ts';

/** What evaluators are called by people; their type in words until the server has told. */
export function useEvaluatorLabels(): (type: string) => string {
  const { data } = useQuery({
    queryKey: ['evaluator-types', 'labels'],
    queryFn: async ({ signal }) => labelsOf(await api.get<readonly EvaluatorType[]>('/evaluator-types', {}, signal)),
    staleTime: 600_000,
  });
  return (type) => data?.[type] ?? inWords(type);
}

function labelsOf(types: readonly EvaluatorType[]): Record<string, string> {
  return Object.fromEntries(types.map(({ type, label }) => [type, label]));
}

/** `latency-budget` as `Latency Budget`. */
export function inWords(type: string): string {
  return type
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
