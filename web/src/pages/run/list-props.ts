import { useEffect, useRef } from 'react';

/** The properties that all lists of the results of a run share. */
export interface ListProps {
  readonly runId: string;
  readonly isLive: boolean;
  /** Called with the first trial of the list, which is shown beside it until another one is chosen. */
  readonly onFirst: (trialId: string | undefined) => void;
}

/** Reports the first trial of a list. While a run goes on it stays what it was: a reader is not interrupted. */
export function useFirst(trialId: string | undefined, isLive: boolean, onFirst: ListProps['onFirst']): void {
  const reported = useRef<string>(undefined);
  useEffect(() => {
    if (isLive && reported.current !== undefined) return;
    reported.current = trialId;
    onFirst(trialId);
  }, [trialId, isLive, onFirst]);
}
