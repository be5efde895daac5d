import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { StartedRun, StartRun } from '../../../../src/entry/server/api/runs.ts';
import { ApiFailure, api } from '../../data/api.ts';
import { namedPartsQuery, settingsQuery } from '../../data/project.ts';
import type { SelectOption } from '../../kit/field.tsx';
import { useToast } from '../../kit/toast.tsx';
import type { ScenarioKind } from './scenario-kind.ts';

/** Starts runs; a refusal becomes a message. */
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

/** Who can take part in a run of a scenario of this kind: connectors of the project, or agents found here. */
export function useRunChoices(kind: ScenarioKind): { connectors: SelectOption[]; agents: SelectOption[] } {
  const hasConnectors = kind === 'conversation';
  const hasAgents = kind === 'cli-tool' || kind === 'mcp-server';
  const { data: connectors } = useQuery({ ...namedPartsQuery('connectors'), enabled: hasConnectors });
  const { data: settings } = useQuery({ ...settingsQuery(), enabled: hasAgents });
  return {
    connectors: (hasConnectors ? (connectors?.items ?? []) : []).map(({ name, value }) => ({
      value: name,
      label: name,
      hint: String(value.type ?? ''),
    })),
    agents: (hasAgents ? (settings?.agents ?? []) : []).map(({ id, title, isUsable, detail }) => ({
      value: id,
      label: id,
      hint: isUsable ? title : detail,
    })),
  };
}
