import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import type { TraceSearch } from '../../../../../src/entry/server/api/trials.ts';
import { traceTypeQuery } from '../../../data/trials.ts';

/** Where the events of some types are. */
export interface TypedEvents {
  /** In the order of the trace; undefined until the server has told, and where no type is given. */
  readonly indices: readonly number[] | undefined;
  readonly isComplete: boolean;
}

/** The places of all events of these types. */
export function useEventsOfTypes(trialId: string, types: readonly string[]): TypedEvents {
  return useQueries({ queries: types.map((type) => traceTypeQuery(trialId, type)), combine: merged });
}

function merged(results: readonly UseQueryResult<TraceSearch>[]): TypedEvents {
  const found = results.flatMap(({ data }) => data ?? []);
  if (results.length === 0 || found.length < results.length) return { indices: undefined, isComplete: true };
  return {
    indices: found.flatMap(({ indices }) => indices).sort((a, b) => a - b),
    isComplete: found.every(({ isComplete }) => isComplete),
  };
}
