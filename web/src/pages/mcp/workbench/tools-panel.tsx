import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import type { HandRequest, WorkbenchSessionDetail } from '../../../../../src/entry/server/api/workbench.ts';
import { isRecord } from '../../../../../src/shared/json.ts';
import { sendRequest } from '../../../data/workbench.ts';
import { Badge } from '../../../kit/badge.tsx';
import { CodeBlock } from '../../../kit/code.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
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
export function ToolsPanel({ session, activity, item, onChoose }: PanelProps) {
  const { items, problem } = session.tools;
  const tool = items.find(({ name }) => name === item) ?? items[0];
  const name = tool && textOf(tool, 'name');
  return (
    <OffersPanel
      noun="tools"
      items={items.map((each) => ({
        key: textOf(each, 'name') ?? '',
        label: textOf(each, 'name') ?? '(no name)',
        note: textOf(each, 'title') ?? textOf(each, 'description'),
      }))}
      problem={problem}
      chosen={name}
      onChoose={onChoose}
    >
      {tool && name !== undefined && <ToolDetail key={name} session={session} tool={tool} name={name} />}
      {tool && name !== undefined && <ToolApp session={session} tool={tool} name={name} activity={activity} />}
      {name !== undefined && (
        <CallsOf
          sessionId={session.id}
          activity={activity}
          isOf={({ params }) => params.name === name}
          method="tools/call"
        />
      )}
    </OffersPanel>
  );
}

function ToolDetail({ session, tool, name }: { session: WorkbenchSessionDetail; tool: Definition; name: string }) {
  const state = useArguments(isRecord(tool.inputSchema) ? tool.inputSchema : {});
  const { given } = state;
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          <code className="font-mono">{name}</code>
          <Hints tool={tool} />
        </span>
      }
      actions={
        <SendButton
          session={session}
          label="Call"
          request={given === undefined ? undefined : { method: 'tools/call', params: { name, arguments: given } }}
        />
      }
    >
      <div className="flex flex-col gap-4">
        <About definition={tool} />
        <ArgumentsForm state={state} noun="tool" />
        <Disclosure summary={<span className="text-xs text-muted">Definition</span>}>
          <CodeBlock text={jsonText(tool)} label="Definition" />
        </Disclosure>
      </div>
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
