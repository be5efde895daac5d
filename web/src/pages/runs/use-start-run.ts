import { useNavigate } from '@tanstack/react-router';
import type { StartedRun, StartRun } from '../../../../src/entry/server/api/runs.ts';
import { api } from '../../data/api.ts';
import { useChange } from '../../kit/use-change.ts';

export const startRun = (wish: StartRun) => api.post<StartedRun>('/runs', wish);

/** Starts a run and goes to its page. */
export function useStartRun() {
  const navigate = useNavigate();
  return useChange({
    send: startRun,
    stale: [['runs'], ['dashboard'], ['status']],
    isRefusalShown: true,
    onDone: ({ runId }) => navigate({ to: '/runs/$runId', params: { runId } }),
  });
}
