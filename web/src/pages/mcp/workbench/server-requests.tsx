import { useMutation } from '@tanstack/react-query';
import { MessageCircleQuestion } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import type { HandAnswer, ServerRequestItem } from '../../../../../src/entry/server/api/workbench.ts';
import { isRecord } from '../../../../../src/shared/json.ts';
import { answerRequest } from '../../../data/workbench.ts';
import type { JsonSchema } from '../../../forms/read-form.ts';
import { FoldedCode } from '../../../kit/code.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Field, TextArea } from '../../../kit/field.tsx';
import { GuardedButton } from '../../../kit/guarded-button.tsx';
import { Card, ErrorView } from '../../../kit/page.tsx';
import { ArgumentsForm, useArguments } from './arguments-form.tsx';
import { jsonText, readObject, textOf } from './json-text.ts';

/** Requests of the server that wait for an answer. */
export function ServerRequests({ sessionId, requests }: { sessionId: string; requests: readonly ServerRequestItem[] }) {
  return requests
    .filter(({ state }) => state === 'waiting')
    .map((request) => <RequestCard key={request.id} sessionId={sessionId} request={request} />);
}

function RequestCard({ sessionId, request }: { sessionId: string; request: ServerRequestItem }) {
  const answering = useMutation({ mutationFn: (answer: HandAnswer) => answerRequest(sessionId, request.id, answer) });
  const params = isRecord(request.params) ? request.params : {};
  const kind = { params, isBusy: answering.isPending, onAnswer: (answer: HandAnswer) => answering.mutate(answer) };
  return (
    <div role="alert" className="rounded-lg ring-2 ring-accent">
      <Card
        isColumn
        icon={MessageCircleQuestion}
        title={request.method === 'elicitation/create' ? 'The server asks the user' : 'The server asks the model'}
      >
        {request.method === 'elicitation/create' ? <Elicitation {...kind} /> : <Sampling {...kind} />}
        <Disclosure summary={<span className="text-xs text-muted">Answer with JSON</span>}>
          <JsonAnswer {...kind} />
        </Disclosure>
        <FoldedCode label="Whole request" text={jsonText(request.params)} />
        {answering.error && <ErrorView error={answering.error} />}
      </Card>
    </div>
  );
}

interface AnswerProps {
  readonly params: Readonly<Record<string, unknown>>;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: HandAnswer) => void;
}

function AnswerButton(
  props: Pick<ComponentProps<typeof GuardedButton>, 'variant' | 'disabled' | 'onClick' | 'children'>,
) {
  return <GuardedButton needs="run" size="sm" {...props} />;
}

/** A question to the user: a form, or an address to open. */
function Elicitation({ params, isBusy, onAnswer }: AnswerProps) {
  const schema: JsonSchema = isRecord(params.requestedSchema) ? params.requestedSchema : {};
  const [fixedSchema] = useState(schema);
  const state = useArguments(fixedSchema);
  const url = textOf(params, 'url');
  const accept = url === undefined ? { action: 'accept', content: state.given } : { action: 'accept' };
  return (
    <div className="flex flex-col gap-3">
      <p className="whitespace-pre-wrap">{textOf(params, 'message') ?? 'It gives no reason.'}</p>
      {url === undefined ? <ArgumentsForm state={state} noun="question" title="Answer" /> : <UrlView url={url} />}
      <div className="flex flex-wrap gap-2">
        <AnswerButton
          variant="primary"
          disabled={isBusy || state.given === undefined}
          onClick={() => onAnswer({ result: accept })}
        >
          Accept
        </AnswerButton>
        {['decline', 'cancel'].map((action) => (
          <AnswerButton key={action} disabled={isBusy} onClick={() => onAnswer({ result: { action } })}>
            {action === 'decline' ? 'Decline' : 'Cancel'}
          </AnswerButton>
        ))}
      </div>
    </div>
  );
}

/** An address of the server's choice: its host stands out, and only a web address is a link. */
function UrlView({ url }: { url: string }) {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isWeb = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  return (
    <div className="flex flex-col gap-1 text-sm">
      <p className="text-muted">
        It wants you to open a page of <strong className="text-ink">{parsed?.host || 'an unknown place'}</strong>:
      </p>
      {isWeb ? (
        <a href={url} target="_blank" rel="noopener noreferrer" className="break-all text-accent underline">
          {url}
        </a>
      ) : (
        <code className="font-mono text-xs break-all">{url}</code>
      )}
    </div>
  );
}

/** A request to the model: the user writes what it says. */
function Sampling({ params, isBusy, onAnswer }: AnswerProps) {
  const [text, setText] = useState('');
  const messages = Array.isArray(params.messages) ? params.messages.filter(isRecord) : [];
  const result = { role: 'assistant', model: 'by hand', stopReason: 'endTurn', content: { type: 'text', text } };
  const refusal = { code: -1, message: 'User rejected sampling request' };
  return (
    <div className="flex flex-col gap-3">
      {textOf(params, 'systemPrompt') !== undefined && (
        <p className="text-muted">System prompt: {textOf(params, 'systemPrompt')}</p>
      )}
      {messages.map(({ role, content }, index) => (
        <div key={`${index + 1}`}>
          <p className="text-xs text-muted">{String(role)}</p>
          <p className="whitespace-pre-wrap">
            {isRecord(content) && typeof content.text === 'string' ? content.text : jsonText(content)}
          </p>
        </div>
      ))}
      <Field label="What the model says">
        <TextArea value={text} onChange={setText} />
      </Field>
      <div className="flex flex-wrap gap-2">
        <AnswerButton variant="primary" disabled={isBusy} onClick={() => onAnswer({ result })}>
          Answer
        </AnswerButton>
        <AnswerButton disabled={isBusy} onClick={() => onAnswer({ error: refusal })}>
          Refuse
        </AnswerButton>
      </div>
    </div>
  );
}

/** Any result at all, to see what the server makes of it. */
function JsonAnswer({ isBusy, onAnswer }: AnswerProps) {
  const [text, setText] = useState('{}');
  const read = readObject(text);
  return (
    <div className="flex flex-col items-start gap-2">
      <Field label="Result as JSON" error={'problem' in read ? read.problem : undefined}>
        <TextArea value={text} onChange={setText} />
      </Field>
      <AnswerButton
        disabled={isBusy || !('value' in read)}
        onClick={() => 'value' in read && onAnswer({ result: read.value })}
      >
        Answer with this
      </AnswerButton>
    </div>
  );
}
