import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { apiUrl } from './api.ts';
import { useConnection } from './connection-context.ts';
import { afterEvent, nothingTold, type RunProgress } from './run-progress.ts';
import { followRun } from './run-stream.ts';

/** The progress of a run as it happens; when the run ends, all that is shown of it is asked for again. */
export function useRunEvents(runId: string, isLive: boolean): RunProgress & { readonly isOpen: boolean } {
  const client = useQueryClient();
  const connection = useConnection();
  const [told, setTold] = useState(nothingTold);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    if (!isLive) return;
    setTold(nothingTold);
    return followRun({
      open: () => new EventSource(apiUrl(`/runs/${encodeURIComponent(runId)}/events`)),
      onEvent: (event) => {
        setTold((known) => afterEvent(known, event));
        if (event.type !== 'finished' && event.type !== 'failed') return;
        void client.invalidateQueries({ queryKey: ['run', runId] });
        void client.invalidateQueries({ queryKey: ['runs'] });
        void client.invalidateQueries({ queryKey: ['dashboard'] });
      },
      onOpen: (isNowOpen) => {
        setIsOpen(isNowOpen);
        if (isNowOpen) connection.heard(null);
        else if (connection.state() === 'connected') connection.tryNow();
      },
    });
  }, [runId, isLive, client, connection]);
  return { ...told, isOpen };
}
