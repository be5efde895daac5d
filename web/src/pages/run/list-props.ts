import { useCallback, useEffect, useState } from 'react';

/** The trials of each line of a list, in its order; the one that stands for the line comes first. */
export type ListedLines = readonly (readonly string[])[];

/** The properties that all lists of the results of a run share. */
export interface ListProps {
  readonly runId: string;
  readonly isLive: boolean;
  /** Called with what is listed: the first trial is shown beside the list until another one is chosen. */
  readonly onListed: (lines: ListedLines) => void;
}

/** Reports what is listed. */
export function useListed(lines: ListedLines, onListed: ListProps['onListed']): void {
  useEffect(() => onListed(lines), [lines, onListed]);
}

/** The trial beside a list, and its neighbours there. */
export function useBeside(wanted: string | undefined, isLive: boolean) {
  const [{ lines, first }, setListed] = useState<{ lines: ListedLines; first: string | undefined }>({
    lines: [],
    first: undefined,
  });
  // While a run goes on the first one stays what it was: a reader is not interrupted.
  const onListed = useCallback(
    (listed: ListedLines) =>
      setListed((known) => ({ lines: listed, first: isLive ? (known.first ?? listed[0]?.[0]) : listed[0]?.[0] })),
    [isLive],
  );
  const chosen = wanted ?? first;
  const place = lines.findIndex((trials) => chosen !== undefined && trials.includes(chosen));
  const at = (index: number): string | null => (place < 0 ? null : (lines[index]?.[0] ?? null));
  return { chosen, previous: at(place - 1), next: at(place + 1), onListed };
}
