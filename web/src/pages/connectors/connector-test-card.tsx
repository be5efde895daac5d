import { useMutation } from '@tanstack/react-query';
import { Zap } from 'lucide-react';
import { useState } from 'react';
import type { ConnectorTest } from '../../../../src/entry/server/api/project.ts';
import { api } from '../../data/api.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { CodeBlock } from '../../kit/code-block.tsx';
import { ErrorView } from '../../kit/error-view.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Duration } from '../../kit/figures.tsx';

/** Says one thing to the agent as it is saved, and shows what comes back. */
export function ConnectorTestCard({ name }: { name: string }) {
  const [message, setMessage] = useState('Hello');
  const test = useMutation({
    mutationFn: () => api.post<ConnectorTest>(`/connectors/${encodeURIComponent(name)}/test`, { message }),
  });
  return (
    <Card
      title="Does it answer?"
      actions={
        <Button
          size="sm"
          icon={<Zap size={13} aria-hidden />}
          isBusy={test.isPending}
          disabled={message === ''}
          onClick={() => test.mutate()}
        >
          Test
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Field label="Message" hint="The connector is tried as it is saved">
          {(id, describedBy) => (
            <TextInput id={id} aria-describedby={describedBy} value={message} onChange={setMessage} />
          )}
        </Field>
        <div role="status" className="flex flex-col gap-2 empty:hidden">
          {test.isPending && <p className="text-muted">Waiting for an answer …</p>}
          {test.error && <ErrorView error={test.error} />}
          {test.data && !test.isPending && <TestResult result={test.data} />}
        </div>
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
        <p className="text-muted">{problem.hint}</p>
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
