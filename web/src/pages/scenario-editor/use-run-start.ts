import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { StartedRun, StartRun } from '../../../../src/entry/server/api/runs.ts';
import { api } from '../../data/api.ts';
import { ApiFailure } from '../../data/api-failure.ts';
import { useToast } from '../../kit/toast.tsx';

/** Starts runs; a refusal is told in words. */
export function useRunStart() {
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (what: StartRun) => api.post<StartedRun>('/runs', what),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['runs'] });
      void client.invalidateQueries({ queryKey: ['dashboard'] });
    },
    onError: (error) => toast.show(refusalText(error), 'bad'),
  });
}

function refusalText(error: unknown): string {
  if (!(error instanceof ApiFailure)) return 'The run was not started.';
  const [problem] = error.problems;
  const place = problem ? ` ${problem.file}:${problem.line}: ${problem.message}.` : '';
  return `${error.error}${place}${error.hint === null ? '' : ` ${error.hint}`}`;
}
