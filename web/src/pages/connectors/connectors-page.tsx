import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Plug } from 'lucide-react';
import { useCallback } from 'react';
import type { NamedParts } from '../../../../src/entry/server/api/project.ts';
import { connectorTypesQuery } from '../../data/project.ts';
import { isRecord } from '../../documents/document-change.ts';
import type { FormField } from '../../forms/form-field.ts';
import { readForm } from '../../forms/read-form.ts';
import { NamedPartsPage } from '../../named-parts/named-parts-page.tsx';
import { ConnectorTestCard } from './connector-test-card.tsx';

/** The conversational agents under test, and whether they answer. */
export function ConnectorsPage() {
  const search = useSearch({ from: '/connectors' });
  const { data: types } = useQuery(connectorTypesQuery());
  const formOf = useCallback(
    ({ schema }: NamedParts, value: Readonly<Record<string, unknown>>): FormField => {
      const type = types?.find((candidate) => candidate.type === value.type);
      const all = isRecord(schema.properties) ? schema.properties : {};
      const properties = {
        type: {
          type: 'string',
          description: type?.summary ?? 'what the agent speaks',
          ...(types ? { enum: types.map((candidate) => candidate.type) } : {}),
        },
        baseUrl: { ...asRecord(all.baseUrl), description: 'where it answers; ${VAR} is replaced when it is called' },
        headers: { ...asRecord(all.headers), description: 'sent with every request; better ${VAR} than a key itself' },
        config: { ...(type?.configSchema ?? {}), description: 'settings of this kind of connector' },
      };
      return readForm({ ...schema, properties });
    },
    [types],
  );
  return (
    <NamedPartsPage
      topic="connectors"
      title="Connectors"
      subtitle="The conversational agents under test"
      noun="connector"
      icon={<Plug size={20} />}
      about="A connector says where an agent answers and what it speaks. Scenarios use it by its name."
      search={search}
      startValue={firstValue}
      formOf={formOf}
      summaryOf={({ value }) => [value.type, value.baseUrl].filter(Boolean).join(' · ')}
      below={({ name }) => <ConnectorTestCard key={name} name={name} />}
    />
  );
}

const firstValue = { type: 'http', baseUrl: 'http://127.0.0.1:8081' };

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
