import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiFailure } from '../../../data/api.ts';
import { backoffMs } from '../../../data/connection.ts';
import { readActivity, workbenchSessionQuery } from '../../../data/workbench.ts';
import { type ActivityState, noActivity, withChanges } from './activity-state.ts';

/** The history of a session, followed as it goes on. */
export function useActivity(sessionId: string): ActivityState {
  const client = useQueryClient();
  const [state, setState] = useState(noActivity);
  useEffect(() => {
    const stop = new AbortController();
    setState(noActivity);
    void follow(sessionId, stop.signal, (next, isOtherSession) => {
      setState(next);
      if (isOtherSession)
        void client.invalidateQueries({ queryKey: workbenchSessionQuery(sessionId).queryKey, exact: true });
    });
    return () => stop.abort();
  }, [sessionId, client]);
  return state;
}

/** Reads changes until the session is gone; an away server is tried again. */
async function follow(
  sessionId: string,
  signal: AbortSignal,
  onChange: (state: ActivityState, isOtherSession: boolean) => void,
): Promise<void> {
  let state = noActivity;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const changes = await readActivity(sessionId, state.sequence, signal);
      const isOther = changes.status !== state.status || changes.detailSequence !== state.detailSequence;
      state = withChanges(state, changes);
      failures = 0;
      onChange(state, isOther);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiFailure && error.status === 404) {
        onChange({ ...state, status: 'closed' }, true);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, backoffMs(failures)));
      failures += 1;
    }
  }
}
