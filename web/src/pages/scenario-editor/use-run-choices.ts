import { useQuery } from '@tanstack/react-query';
import { namedPartsQuery, settingsQuery } from '../../data/project.ts';
import type { SelectOption } from '../../kit/field.tsx';
import type { ScenarioKind } from './scenario-kind.ts';

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
