import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Plug, Zap } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { ConnectorTest, NamedParts } from '../../../../src/entry/server/api/project.ts';
import { isRecord } from '../../../../src/shared/json.ts';
import { api } from '../../data/api.ts';
import { connectorTypesQuery } from '../../data/project.ts';
import type { FormField } from '../../forms/form-field.ts';
import { readForm } from '../../forms/read-form.ts';
import { Badge } from '../../kit/badge.tsx';
import { CodeBlock, WithCode } from '../../kit/code.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Duration } from '../../kit/figures.tsx';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { Card, ErrorView } from '../../kit/page.tsx';
import { NamedPartsPage } from './named-parts-page.tsx';

/** Says one thing to the agent as it is saved, and shows what comes back. */
function ConnectorTestCard({ name }: { name: string }) {
  const [message, setMessage] = useState('Hello');
  const test = useMutation({
    mutationFn: () => api.post<ConnectorTest>(`/connectors/${encodeURIComponent(name)}/test`, { message }),
  });
  return (
    <Card
      isColumn
      title="Does it answer?"
      actions={
        <GuardedButton
          needs="run"
          size="sm"
          icon={<Zap size={13} aria-hidden />}
          isBusy={test.isPending}
          disabled={message === ''}
          onClick={() => test.mutate()}
        >
          Test
        </GuardedButton>
      }
    >
      <Field label="Message" hint="The connector is tried as it is saved">
        <TextInput value={message} onChange={setMessage} />
      </Field>
      <div role="status" className="flex flex-col gap-2 empty:hidden">
        {test.isPending && <p className="text-muted">Waiting for an answer …</p>}
        {test.error && <ErrorView error={test.error} />}
        {test.data && !test.isPending && <TestResult result={test.data} />}
      </div>
    </Card>
  );
}

function TestResult({ result: { isReached, latencyMs, reply, problem } }: { result: ConnectorTest }) {
  if (problem !== null) {
    return (
      <div className="flex flex-col items-start gap-1">
        <Badge tone="bad">no answer</Badge>
        <p>{problem.message}</p>
        <p className="text-muted">
          <WithCode text={problem.hint} />
        </p>
      </div>
    );
  }
  return (
    <>
      <p className="flex items-center gap-2">
        <Badge tone={isReached ? 'good' : 'bad'}>{isReached ? 'answered' : 'no answer'}</Badge>
        <span className="text-muted">
          after <Duration ms={latencyMs} />
        </span>
      </p>
      {reply !== null && <CodeBlock label="Reply" text={reply === '' ? '(an empty answer)' : reply} />}
    </>
  );
}

/** The conversational agents under test, and whether they answer. */
export function ConnectorsPage() {
  const search = useSearch({ from: '/connectors' });
  const { data: types } = useQuery(connectorTypesQuery());
  const formOf = useCallback(
    ({ schema }: NamedParts, value: Readonly<Record<string, unknown>>): FormField => {
      const type = types?.find((candidate) => candidate.type === value.type);
      const all = isRecord(schema.properties) ? schema.properties : {};
      const { name, ...others } = all;
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
      const named = Object.keys(properties);
      const further = Object.entries(others).filter(([key]) => !named.includes(key));
      return readForm({ ...schema, properties: { ...properties, ...Object.fromEntries(further) } });
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
      above={({ name }) => <ConnectorTestCard key={name} name={name} />}
    />
  );
}

const firstValue = { type: 'http', baseUrl: 'http://127.0.0.1:8081' };

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
