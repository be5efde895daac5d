import { useState } from 'react';
import type { HandRequest, WorkbenchSessionDetail } from '../../../../../src/entry/server/api/workbench.ts';
import { isRecord } from '../../../../../src/shared/json.ts';
import type { JsonSchema } from '../../../forms/read-form.ts';
import { FoldedCode } from '../../../kit/code.tsx';
import { Field, TextArea, TextInput } from '../../../kit/field.tsx';
import { Card } from '../../../kit/page.tsx';
import { CallCard } from './call-card.tsx';
import { jsonText, readObject, textOf } from './json-text.ts';
import { OffersPanel } from './offers-panel.tsx';
import { About, CallsOf, NamedDetail, NamedOffers, type PanelProps, SendButton } from './tools-panel.tsx';

type Definition = WorkbenchSessionDetail['prompts']['items'][number];

/** The prompts of a server. */
export function PromptsPanel(panel: PanelProps) {
  const { session } = panel;
  return (
    <NamedOffers {...panel} noun="prompts" method="prompts/get" offered={session.prompts}>
      {(prompt, name) => (
        <NamedDetail
          key={name}
          session={session}
          definition={prompt}
          schema={promptSchema(prompt)}
          words={{ label: 'Get', method: 'prompts/get', noun: 'prompt' }}
        />
      )}
    </NamedOffers>
  );
}

/** Arguments of prompts are texts. */
function promptSchema({ arguments: list }: Definition): JsonSchema {
  const named = (Array.isArray(list) ? list : []).filter(isRecord);
  return {
    type: 'object',
    properties: Object.fromEntries(
      named.map(({ name, description }) => [
        String(name),
        { type: 'string', ...(description !== undefined && { description }) },
      ]),
    ),
    required: named.filter(({ required }) => required === true).map(({ name }) => String(name)),
  };
}

/** The resources and resource templates of a server. */
export function ResourcesPanel({ session, activity, item, onChoose }: PanelProps) {
  const { resources, resourceTemplates } = session;
  const listed = [
    ...resources.items.map((each) => ({ each, uri: textOf(each, 'uri') ?? '', isTemplate: false })),
    ...resourceTemplates.items.map((each) => ({ each, uri: textOf(each, 'uriTemplate') ?? '', isTemplate: true })),
  ];
  const chosen = listed.find(({ uri }) => uri === item) ?? listed[0];
  const problems = [resources.problem, resourceTemplates.problem].filter((problem) => problem !== null);
  return (
    <OffersPanel
      noun="resources"
      items={listed.map(({ each, uri, isTemplate }) => ({
        key: uri,
        label: uri,
        note: `${isTemplate ? 'Template: ' : ''}${textOf(each, 'title') ?? textOf(each, 'name') ?? ''}`,
      }))}
      problem={problems.join(' ') || null}
      chosen={chosen?.uri}
      onChoose={onChoose}
    >
      {chosen && <ResourceDetail key={chosen.uri} session={session} definition={chosen.each} uri={chosen.uri} />}
      <CallsOf
        sessionId={session.id}
        activity={activity}
        isOf={({ params }) => chosen?.isTemplate === true || params.uri === chosen?.uri}
        method="resources/read"
      />
    </OffersPanel>
  );
}

function ResourceDetail({
  session,
  definition,
  uri,
}: {
  session: WorkbenchSessionDetail;
  definition: Definition;
  uri: string;
}) {
  const [address, setAddress] = useState(uri);
  return (
    <Card
      isColumn
      title={<code className="font-mono break-all">{uri}</code>}
      actions={
        <SendButton session={session} label="Read" request={{ method: 'resources/read', params: { uri: address } }} />
      }
    >
      <About definition={definition} />
      <Field label="Address" hint={uri.includes('{') ? 'Replace what stands in braces' : undefined}>
        <TextInput value={address} onChange={setAddress} />
      </Field>
      <FoldedCode label="Definition" text={jsonText(definition)} />
    </Card>
  );
}

/** Every call of the session, and a form for any other request of the protocol. */
export function CallsPanel({ session, activity }: Pick<PanelProps, 'session' | 'activity'>) {
  const isWithoutPing = (session.facts?.protocolVersion ?? '') >= '2026-07-28';
  const [method, setMethod] = useState(isWithoutPing ? 'server/discover' : 'ping');
  const [params, setParams] = useState('{}');
  const read = readObject(params);
  const request: HandRequest | undefined =
    'value' in read && method.trim() !== '' ? { method: method.trim(), params: read.value } : undefined;
  return (
    <div className="flex flex-col gap-4">
      <Card title="Any request" actions={<SendButton session={session} label="Send" request={request} />}>
        <div className="grid gap-4 md:grid-cols-[16rem_minmax(0,1fr)]">
          <Field label="Method">
            <TextInput value={method} onChange={setMethod} />
          </Field>
          <Field label="Parameters as JSON" error={'problem' in read ? read.problem : undefined}>
            <TextArea value={params} onChange={setParams} rows={2} />
          </Field>
        </div>
      </Card>
      {activity.calls.map((call) => (
        <CallCard key={call.id} sessionId={session.id} call={call} />
      ))}
    </div>
  );
}
