import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { HandRequest, WorkbenchSessionDetail } from '../../../../../src/entry/server/api/workbench.ts';
import { isRecord } from '../../../../../src/shared/json.ts';
import { sendRequest } from '../../../data/workbench.ts';
import type { JsonSchema } from '../../../forms/read-form.ts';
import { Badge } from '../../../kit/badge.tsx';
import { FoldedCode } from '../../../kit/code.tsx';
import { GuardedButton } from '../../../kit/guarded-button.tsx';
import { Card, ErrorView } from '../../../kit/page.tsx';
import type { ActivityState } from './activity-state.ts';
import { appUriOf } from './app-bridge.ts';
import { AppCard } from './app-card.tsx';
import { ArgumentsForm, useArguments } from './arguments-form.tsx';
import { CallCard } from './call-card.tsx';
import { jsonText, textOf } from './json-text.ts';
import { OffersPanel } from './offers-panel.tsx';

export interface PanelProps {
  readonly session: WorkbenchSessionDetail;
  readonly activity: ActivityState;
  /** The tool, prompt or resource in the address. */
  readonly item: string | undefined;
  readonly onChoose: (item: string) => void;
}

type Definition = WorkbenchSessionDetail['tools']['items'][number];

/** The tools of a server, with a form to call each. */
export function ToolsPanel(panel: PanelProps) {
  const { session, activity } = panel;
  return (
    <NamedOffers {...panel} noun="tools" method="tools/call" offered={session.tools}>
      {(tool, name) => (
        <>
          <NamedDetail
            key={name}
            session={session}
            definition={tool}
            schema={isRecord(tool.inputSchema) ? tool.inputSchema : {}}
            words={{ label: 'Call', method: 'tools/call', noun: 'tool' }}
            badges={<Hints tool={tool} />}
          />
          <ToolApp session={session} tool={tool} name={name} activity={activity} />
        </>
      )}
    </NamedOffers>
  );
}

interface NamedOffersProps extends PanelProps {
  readonly noun: string;
  readonly method: string;
  readonly offered: WorkbenchSessionDetail['tools'];
  readonly children: (chosen: Definition, name: string) => ReactNode;
}

/** Definitions with names: the list, the chosen one, and the calls of it. */
export function NamedOffers({ session, activity, item, onChoose, noun, method, offered, children }: NamedOffersProps) {
  const { items, problem } = offered;
  const chosen = items.find(({ name }) => name === item) ?? items[0];
  const name = chosen && textOf(chosen, 'name');
  return (
    <OffersPanel
      noun={noun}
      items={items.map((each) => ({
        key: textOf(each, 'name') ?? '',
        label: textOf(each, 'name') ?? '(no name)',
        note: textOf(each, 'title') ?? textOf(each, 'description'),
      }))}
      problem={problem}
      chosen={name}
      onChoose={onChoose}
    >
      {chosen && name !== undefined && children(chosen, name)}
      {name !== undefined && (
        <CallsOf
          sessionId={session.id}
          activity={activity}
          isOf={({ params }) => params.name === name}
          method={method}
        />
      )}
    </OffersPanel>
  );
}

interface NamedDetailProps {
  readonly session: WorkbenchSessionDetail;
  readonly definition: Definition;
  /** Of its arguments. */
  readonly schema: JsonSchema;
  readonly words: { readonly label: string; readonly method: string; readonly noun: string };
  readonly badges?: ReactNode;
}

/** One definition with a form for its arguments. */
export function NamedDetail({ session, definition, schema, words, badges }: NamedDetailProps) {
  const { label, method, noun } = words;
  const name = textOf(definition, 'name');
  // A new schema would be a new form.
  const [fixed] = useState(schema);
  const state = useArguments(fixed);
  const { given } = state;
  return (
    <Card
      isColumn
      title={
        <span className="flex flex-wrap items-center gap-2">
          <code className="font-mono">{name}</code>
          {badges}
        </span>
      }
      actions={
        <SendButton session={session} label={label} request={given && { method, params: { name, arguments: given } }} />
      }
    >
      <About definition={definition} />
      <ArgumentsForm state={state} noun={noun} />
      <FoldedCode label="Definition" text={jsonText(definition)} />
    </Card>
  );
}

/** The UI resource of a tool with its newest result, where it has both. */
function ToolApp({
  session,
  tool,
  name,
  activity,
}: Pick<PanelProps, 'session' | 'activity'> & { readonly tool: Definition; readonly name: string }) {
  const uri = appUriOf(tool);
  const call = activity.calls.find(
    ({ method, params, state, by }) =>
      method === 'tools/call' && params.name === name && state === 'result' && by === 'user',
  );
  if (uri === undefined || !call) return null;
  return <AppCard key={call.id} sessionId={session.id} uri={uri} tool={tool} call={call} />;
}

/** The title and description of what is offered. */
export function About({ definition }: { definition: Definition }) {
  const title = textOf(definition, 'title');
  const description = textOf(definition, 'description');
  return (
    <div>
      {title !== undefined && <p className="font-medium">{title}</p>}
      {description === undefined ? (
        <p className="text-muted">It has no description.</p>
      ) : (
        <p className="whitespace-pre-wrap">{description}</p>
      )}
    </div>
  );
}

const hints = [
  { key: 'readOnlyHint', text: 'read-only', tone: 'good' },
  { key: 'destructiveHint', text: 'destructive', tone: 'bad' },
  { key: 'idempotentHint', text: 'idempotent', tone: 'neutral' },
  { key: 'openWorldHint', text: 'open world', tone: 'neutral' },
] as const;

/** Annotations of a tool: its effects, as the server states them. */
function Hints({ tool: { annotations } }: { tool: Definition }) {
  const given = isRecord(annotations) ? annotations : {};
  return hints
    .filter(({ key }) => given[key] === true)
    .map(({ key, text, tone }) => (
      <Badge key={key} tone={tone}>
        {text}
      </Badge>
    ));
}

/** Sends a request; undefined while it cannot be made. */
export function SendButton({
  session,
  label,
  request,
}: {
  session: WorkbenchSessionDetail;
  label: string;
  request: HandRequest | undefined;
}) {
  const sending = useMutation({ mutationFn: (wanted: HandRequest) => sendRequest(session.id, wanted) });
  return (
    <>
      {sending.error && <ErrorView error={sending.error} />}
      <GuardedButton
        needs="run"
        variant="primary"
        size="sm"
        icon={<Send size={13} aria-hidden />}
        disabled={session.status !== 'open' || request === undefined}
        isBusy={sending.isPending}
        onClick={() => request && sending.mutate(request)}
      >
        {label}
      </GuardedButton>
    </>
  );
}

/** The calls of one method that are about the chosen item, the newest first. */
export function CallsOf({
  sessionId,
  activity,
  method,
  isOf,
}: {
  sessionId: string;
  activity: ActivityState;
  method: string;
  isOf: (call: ActivityState['calls'][number]) => boolean;
}) {
  return activity.calls
    .filter((call) => call.method === method && isOf(call))
    .map((call) => <CallCard key={call.id} sessionId={sessionId} call={call} />);
}
