import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { TrialSearch } from '../../../app/page-search.ts';
import { traceTextQuery } from '../../../data/trials.ts';
import { eventGroups, typesOf } from './event-groups.ts';
import type { Wanted } from './find-marks.ts';
import { firstOpenness, type Openness } from './openness.ts';
import { TimelineRows } from './timeline-rows.ts';
import { useEventsOfTypes } from './use-events-of-types.ts';

/** What the address asks of the timeline, and what the server knows about it. */
export interface TraceView {
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
  { text: find = '', type: show = '', quote }: TrialSearch,
): TraceView {
  const [openness, setOpenness] = useState(firstOpenness);
  const groups = useMemo(
    () => eventGroups.map(({ key }) => key).filter((key) => show.split(',').includes(key)),
    [show],
  );
  const typed = useEventsOfTypes(trialId, typesOf(groups));
  const found = useQuery(traceTextQuery(trialId, find));
  const rows = useMemo(
    () => new TimelineRows(total, groups.length === 0 ? undefined : (typed.indices ?? [])),
    [total, groups, typed.indices],
  );
  const hits = useMemo(
    () => found.data?.indices.filter((index) => rows.rowOf(index) !== undefined),
    [found.data, rows],
  );
  const words = useMemo(() => (find === '' ? undefined : { text: find, isQuote: false }), [find]);
  const quoted = useMemo(() => (quote === undefined ? undefined : { text: quote, isQuote: true }), [quote]);
  return {
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
