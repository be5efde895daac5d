import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { TracePage, TraceSearch } from '../../../../../src/entry/server/api/trials.ts';
import type { TrialSearch } from '../../../app/search-params.ts';
import { tracePageQuery, traceSearchQuery, wholeEventQuery } from '../../../data/trials.ts';
import type { Wanted } from './marks.ts';
import {
  eventGroups,
  firstOpenness,
  type JoinedCalls,
  joinCalls,
  type Openness,
  type PlacedEvent,
  pageSize,
  pagesAround,
  TimelineRows,
  type TraceViewKind,
  typesInView,
} from './timeline.ts';

/** Where the events of some types are. */
interface TypedEvents {
  /** In the order of the trace; undefined until the server has answered, and where no type is given. */
  readonly indices: readonly number[] | undefined;
  readonly isComplete: boolean;
}

/** The places of all events of these types. */
export function useEventsOfTypes(trialId: string, types: readonly string[]): TypedEvents {
  return useQueries({ queries: types.map((type) => traceSearchQuery(trialId, { type })), combine: merged });
}

function merged(results: readonly UseQueryResult<TraceSearch>[]): TypedEvents {
  const found = results.flatMap(({ data }) => data ?? []);
  if (results.length === 0 || found.length < results.length) return { indices: undefined, isComplete: true };
  return {
    indices: found.flatMap(({ indices }) => indices).sort((a, b) => a - b),
    isComplete: found.every(({ isComplete }) => isComplete),
  };
}

/** The loaded part of a trace. */
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

/** A class, because plain objects would be compared deeply with those before, and events can be large. */
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

/** The view of the timeline by the address, and the matching events of the server. */
export interface TraceView {
  readonly kind: TraceViewKind;
  readonly rows: TimelineRows;
  /** False where there are more rows of the chosen kinds than the server counts. */
  readonly areRowsComplete: boolean;
  readonly groups: readonly string[];
  /** Undefined while they are looked for, and where nothing is. */
  readonly hits: readonly number[] | undefined;
  readonly areHitsComplete: boolean;
  readonly words: Wanted | undefined;
  readonly quote: Wanted | undefined;
  readonly openness: Openness;
  readonly setOpenness: (change: (before: Openness) => Openness) => void;
}

/** Rows, hits and marks of the timeline. */
export function useTraceView(
  trialId: string,
  total: number,
  { text: find = '', type: show = '', quote, view }: TrialSearch,
): TraceView {
  const [openness, setOpenness] = useState(firstOpenness);
  const groups = useMemo(
    () => eventGroups.map(({ key }) => key).filter((key) => show.split(',').includes(key)),
    [show],
  );
  const kind: TraceViewKind = view === 'waterfall' || view === 'chat' ? view : 'list';
  const types = typesInView(kind, groups);
  const typed = useEventsOfTypes(trialId, types ?? []);
  const isWhole = types === undefined;
  const found = useQuery(traceSearchQuery(trialId, { text: find }));
  const rows = useMemo(
    () => new TimelineRows(total, isWhole ? undefined : (typed.indices ?? [])),
    [total, isWhole, typed.indices],
  );
  const hits = useMemo(
    () => found.data?.indices.filter((index) => rows.rowOf(index) !== undefined),
    [found.data, rows],
  );
  const words = useMemo(() => (find === '' ? undefined : { text: find, isQuote: false }), [find]);
  const quoted = useMemo(() => (quote === undefined ? undefined : { text: quote, isQuote: true }), [quote]);
  return {
    kind,
    rows,
    areRowsComplete: typed.isComplete,
    groups,
    hits,
    areHitsComplete: found.data?.isComplete ?? true,
    words,
    quote: quoted,
    openness,
    setOpenness,
  };
}

/** An event and its answer with their texts uncut, once they are requested and loaded. */
interface WholeEvents {
  readonly event: PlacedEvent;
  readonly result: PlacedEvent | undefined;
  readonly isLoading: boolean;
  readonly error: Error | null;
}

/** Asks for what was cut of an event and of its answer, where it is wanted. */
export function useWholeEvents(
  trialId: string,
  event: PlacedEvent,
  result: PlacedEvent | undefined,
  isWanted: boolean,
): WholeEvents {
  const cut = isWanted ? [event, result].filter((placed) => placed?.isCut === true) : [];
  const answers = useQueries({
    queries: cut.map((placed) => wholeEventQuery(trialId, placed?.index ?? 0)),
  });
  const whole = <Placed extends PlacedEvent | undefined>(placed: Placed): Placed | PlacedEvent => {
    const answer = answers.find(({ data }) => data !== undefined && data.index === placed?.index)?.data;
    return answer && placed ? { ...placed, ...answer, isCut: false } : placed;
  };
  return {
    event: whole(event),
    result: whole(result),
    isLoading: answers.some(({ isPending }) => isPending),
    error: answers.find(({ error }) => error)?.error ?? null,
  };
}
