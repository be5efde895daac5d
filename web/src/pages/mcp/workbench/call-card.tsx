import { useMutation } from '@tanstack/react-query';
import { FlaskConical, X } from 'lucide-react';
import { useState } from 'react';
import type { HandCall } from '../../../../../src/entry/server/api/workbench.ts';
import { isRecord } from '../../../../../src/shared/json.ts';
import { cancelCall } from '../../../data/workbench.ts';
import { Badge, type Tone } from '../../../kit/badge.tsx';
import { CodeBlock, FoldedCode } from '../../../kit/code.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Duration, When } from '../../../kit/figures.tsx';
import { GuardedButton } from '../../../kit/guarded-button.tsx';
import { Card } from '../../../kit/page.tsx';
import { AddTestDialog } from './add-test-dialog.tsx';
import { jsonText } from './json-text.ts';

const states: Readonly<Record<HandCall['state'], { readonly tone: Tone; readonly text: string }>> = {
  open: { tone: 'info', text: 'waiting' },
  result: { tone: 'good', text: 'result' },
  error: { tone: 'bad', text: 'error' },
  failed: { tone: 'bad', text: 'not answered' },
  cancelled: { tone: 'neutral', text: 'cancelled' },
};

/** The tool, prompt or resource of a call. */
function subjectOf({ method, params }: HandCall): string {
  const subject = params.name ?? params.uri;
  return typeof subject === 'string' ? subject : method;
}

/** A request that was sent by hand, with its answer. */
export function CallCard({ sessionId, call }: { sessionId: string; call: HandCall }) {
  const [isAdding, setIsAdding] = useState(false);
  const { state, params } = call;
  const isToolError = isRecord(call.result) && call.result.isError === true;
  const { tone, text } = isToolError ? { tone: 'bad' as const, text: 'tool error' } : states[state];
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          <code className="font-mono text-xs break-all">{subjectOf(call)}</code>
          <Badge tone={tone}>{text}</Badge>
          {call.by === 'app' && <Badge tone="neutral">by the app</Badge>}
          <span className="text-xs font-normal text-muted">
            {call.durationMs !== null && (
              <>
                <Duration ms={call.durationMs} />,{' '}
              </>
            )}
            <When at={call.startedAt} />
          </span>
        </span>
      }
      actions={
        state === 'open' ? (
          <CancelButton sessionId={sessionId} callId={call.id} />
        ) : (
          <GuardedButton
            needs="edit"
            size="sm"
            icon={<FlaskConical size={13} aria-hidden />}
            disabled={call.testPart === null}
            title={call.whyNoTest ?? undefined}
            onClick={() => setIsAdding(true)}
          >
            Add to suite …
          </GuardedButton>
        )
      }
    >
      <div className="flex flex-col gap-2">
        <Disclosure summary={<span className="text-xs text-muted">Sent: {call.method}</span>}>
          <CodeBlock text={jsonText(params)} label="Parameters" />
        </Disclosure>
        {state === 'open' ? <p className="text-muted">No answer yet.</p> : <AnswerView call={call} />}
      </div>
      {isAdding && <AddTestDialog sessionId={sessionId} call={call} onClose={() => setIsAdding(false)} />}
    </Card>
  );
}

function CancelButton({ sessionId, callId }: { sessionId: string; callId: string }) {
  const cancel = useMutation({ mutationFn: () => cancelCall(sessionId, callId) });
  return (
    <GuardedButton
      needs="run"
      size="sm"
      icon={<X size={13} aria-hidden />}
      isBusy={cancel.isPending}
      onClick={() => cancel.mutate()}
    >
      Cancel
    </GuardedButton>
  );
}

/** The answer to a call: what is meant for people first, then all of it. */
function AnswerView({ call: { result, error } }: { call: HandCall }) {
  if (error !== null) {
    return (
      <div className="flex flex-col gap-2">
        <p className="text-fail">
          {typeof error.code === 'number' && `Error ${error.code}: `}
          {error.message}
        </p>
        {error.data !== null && <CodeBlock text={jsonText(error.data)} label="Data of the error" />}
      </div>
    );
  }
  if (!isRecord(result)) return null;
  return (
    <div className="flex flex-col gap-2">
      {partsOf(result).map((part, index) => (
        <PartView key={`${index + 1}`} part={part} />
      ))}
      {result.structuredContent !== undefined && (
        <div>
          <p className="mb-1 text-xs text-muted">Structured content</p>
          <CodeBlock text={jsonText(result.structuredContent)} label="Structured content" />
        </div>
      )}
      <FoldedCode label="Whole result" text={jsonText(result)} />
    </div>
  );
}

/** Blocks of a tool, contents of a resource, messages of a prompt. */
function partsOf({ content, contents, messages }: Readonly<Record<string, unknown>>): unknown[] {
  return [content, contents, messages].flatMap((list) => (Array.isArray(list) ? list : []));
}

const imageType = /^image\/(?:png|jpeg|gif|webp)$/;

function PartView({ part }: { part: unknown }) {
  if (!isRecord(part)) return null;
  if (isRecord(part.content)) {
    return (
      <div>
        <p className="mb-1 text-xs text-muted">{String(part.role)}</p>
        <PartView part={part.content} />
      </div>
    );
  }
  if (isRecord(part.resource)) return <PartView part={part.resource} />;
  const { text, uri, mimeType, data } = part;
  const about = [uri, mimeType].filter((each) => typeof each === 'string').join(' · ');
  return (
    <div className="min-w-0">
      {about !== '' && <p className="mb-1 text-xs break-all text-muted">{about}</p>}
      {typeof text === 'string' && <CodeBlock text={text} label="Text of the answer" />}
      {part.type === 'image' && typeof data === 'string' && imageType.test(String(mimeType)) && (
        <img
          src={`data:${String(mimeType)};base64,${data}`}
          alt="Answer of the tool"
          className="max-h-80 rounded border border-line"
        />
      )}
      {typeof text !== 'string' && part.type !== 'image' && (
        <CodeBlock text={jsonText(part)} label="Part of the answer" />
      )}
    </div>
  );
}
