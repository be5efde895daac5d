import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TracePage } from '../../../../../src/entry/server/api/trials.ts';
import { tracePageQuery } from '../../../data/trials.ts';
import { type JoinedCalls, joinCalls } from './joined-calls.ts';
import { type PlacedEvent, pageSize, pagesAround } from './trace-pages.ts';

/** What is known of a trace so far. */
export interface LoadedTrace extends JoinedCalls {
  readonly events: ReadonlyMap<number, PlacedEvent>;
  readonly error: Error | null;
}

/** The pages around these events; what was loaded once comes back at once. */
export function useTraceEvents(trialId: string, total: number, indices: readonly number[]): LoadedTrace {
  const pages = pagesAround(indices, total);
  const inView = useQueries({
    queries: pages.map((page) => tracePageQuery(trialId, page, pageSize)),
    combine: pagesInView,
  });
  return useMemo(() => {
    const { events, error } = inView;
    return { events: new Map(events.map((placed) => [placed.index, placed])), error, ...joinCalls(events) };
  }, [inView]);
}

/** A class of its own: plain objects would be compared deeply with those before, and events can be large. */
class PagesInView {
  readonly events: readonly PlacedEvent[];
  readonly error: Error | null;

  constructor(events: readonly PlacedEvent[], error: Error | null) {
    this.events = events;
    this.error = error;
  }
}

function pagesInView(results: readonly UseQueryResult<TracePage>[]): PagesInView {
  return new PagesInView(
    results.flatMap(({ data }) => data?.events ?? []),
    results.find((result) => result.error)?.error ?? null,
  );
}
