import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { StartedRun, StartRun } from '../../../../src/entry/server/api/runs.ts';
import { api } from '../../data/api.ts';

/** Starts a run and goes to its page. */
export function useStartRun() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (wish: StartRun) => api.post<StartedRun>('/runs', wish),
    onSuccess: async ({ runId }) => {
      void client.invalidateQueries({ queryKey: ['runs'] });
      void client.invalidateQueries({ queryKey: ['dashboard'] });
      void client.invalidateQueries({ queryKey: ['status'] });
      await navigate({ to: '/runs/$runId', params: { runId } });
    },
  });
}
