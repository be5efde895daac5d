import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { PlugZap, RotateCw, Unplug } from 'lucide-react';
import type { WorkbenchSessionDetail } from '../../../../../src/entry/server/api/workbench.ts';
import {
  closeWorkbenchSession,
  openWorkbenchSession,
  refreshSession,
  workbenchSessionQuery,
} from '../../../data/workbench.ts';
import { Badge, type Tone } from '../../../kit/badge.tsx';
import { CodeBlock, FoldedCode, Mono, WithCode } from '../../../kit/code.tsx';
import { Disclosure, Tabs } from '../../../kit/disclosure.tsx';
import { GuardedButton } from '../../../kit/guarded-button.tsx';
import { Card, EmptyCard, ErrorView, Page, Remark, Skeleton } from '../../../kit/page.tsx';
import { FactList } from '../../../kit/small-table.tsx';
import { DefinitionHistoryView } from '../definition-history.tsx';
import { type ActivityState, noActivity } from './activity-state.ts';
import { FramesPanel } from './frames-panel.tsx';
import { LoginCard } from './login-card.tsx';
import { CallsPanel, PromptsPanel, ResourcesPanel } from './other-panels.tsx';
import { ServerRequests } from './server-requests.tsx';
import { ToolsPanel } from './tools-panel.tsx';
import { useActivity } from './use-activity.ts';

const breadcrumbs = [{ label: 'MCP', to: '/mcp' }] as const;

/** A session with an MCP server by hand. */
export function WorkbenchPage() {
  const { session: id } = useParams({ from: '/mcp/sessions/$session' });
  const { data, error } = useQuery(workbenchSessionQuery(id));
  const activity = useActivity(id);
  if (data === undefined) {
    return (
      <Page title="MCP session" breadcrumbs={breadcrumbs}>
        {error ? <ErrorView error={error} /> : <Skeleton lines={8} />}
      </Page>
    );
  }
  // Until the activity is read, the status of the session is the newer one.
  const status = activity === noActivity ? data.status : activity.status;
  const session = { ...data, status };
  return (
    <Page
      title={session.label}
      heading={
        <span className="flex flex-wrap items-center gap-2">
          <span className="break-all">{session.label}</span>
          <StatusBadge status={status} />
        </span>
      }
      breadcrumbs={breadcrumbs}
      actions={<SessionActions session={session} />}
    >
      <SessionFacts session={session} />
      <LoginCard session={session} />
      {session.problem !== null && <SessionProblem session={session} />}
      <ServerRequests sessionId={id} requests={activity.requests} />
      <SessionTabs session={session} activity={activity} />
    </Page>
  );
}

const tones: Readonly<Record<WorkbenchSessionDetail['status'], Tone>> = {
  connecting: 'info',
  open: 'good',
  broken: 'bad',
  closed: 'neutral',
};

function StatusBadge({ status }: Pick<WorkbenchSessionDetail, 'status'>) {
  return <Badge tone={tones[status]}>{status === 'open' ? 'connected' : status}</Badge>;
}

function SessionActions({ session }: { session: WorkbenchSessionDetail }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const closing = useMutation({
    mutationFn: () => closeWorkbenchSession(session.id),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['workbench'] });
      return navigate({ to: '/mcp' });
    },
  });
  const reopening = useMutation({
    async mutationFn() {
      if (session.status !== 'closed') await closeWorkbenchSession(session.id);
      const { label, file } = session;
      return openWorkbenchSession(file === null ? { address: label } : { label, file });
    },
    onSuccess: ({ id }) => navigate({ to: '/mcp/sessions/$session', params: { session: id } }),
  });
  const refreshing = useMutation({
    mutationFn: () => refreshSession(session.id),
    onSuccess: (refreshed) => client.setQueryData(workbenchSessionQuery(session.id).queryKey, refreshed),
  });
  const isOver = session.status === 'broken' || session.status === 'closed';
  return (
    <>
      {reopening.error && <ErrorView error={reopening.error} />}
      {isOver && (
        <GuardedButton
          needs={session.file === null ? 'edit' : 'run'}
          variant="primary"
          icon={<PlugZap size={14} aria-hidden />}
          isBusy={reopening.isPending}
          onClick={() => reopening.mutate()}
        >
          Connect again
        </GuardedButton>
      )}
      {session.status === 'open' && (
        <GuardedButton
          needs="run"
          icon={<RotateCw size={14} aria-hidden />}
          isBusy={refreshing.isPending}
          onClick={() => refreshing.mutate()}
        >
          List again
        </GuardedButton>
      )}
      {session.status !== 'closed' && (
        <GuardedButton
          needs="run"
          icon={<Unplug size={14} aria-hidden />}
          isBusy={closing.isPending}
          onClick={() => closing.mutate()}
        >
          Disconnect
        </GuardedButton>
      )}
    </>
  );
}

function SessionFacts({ session: { facts, transport, file, notices, login } }: { session: WorkbenchSessionDetail }) {
  return (
    <Card isColumn>
      <FactList
        facts={[
          facts && ['Says it is', `${facts.name} ${facts.version}`.trim()],
          facts && ['Protocol', facts.protocolVersion],
          ['Transport', transport],
          login.state === 'logged-in' ? ['Login', login.message ?? 'logged in'] : null,
          facts && ['Capabilities', Object.keys(facts.capabilities).join(', ') || 'none'],
          file === null ? null : ['Named in', <Mono key="file">{file}</Mono>],
        ]}
      />
      {facts?.instructions && <FoldedCode label="Instructions for models" text={facts.instructions} />}
      {notices.map((notice) => (
        <Remark key={notice} tone="warn">
          {notice}
        </Remark>
      ))}
    </Card>
  );
}

function SessionProblem({ session: { problem, stderr } }: { session: WorkbenchSessionDetail }) {
  if (problem === null) return null;
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-lg border border-fail/40 bg-fail-ground p-4">
      <p className="font-medium whitespace-pre-wrap">{problem.message}</p>
      {problem.hint !== '' && (
        <p className="text-muted">
          <WithCode text={problem.hint} />
        </p>
      )}
      {stderr !== null && stderr !== '' && (
        <Disclosure summary="What the server printed">
          <CodeBlock text={stderr} label="What the server printed" />
        </Disclosure>
      )}
    </div>
  );
}

function UnknownOffers({ status }: Pick<WorkbenchSessionDetail, 'status'>) {
  const title =
    status === 'connecting' ? 'Connecting …' : 'There is no connection, so it is not known what the server offers';
  return <EmptyCard title={title} />;
}

function SessionTabs({ session, activity }: { session: WorkbenchSessionDetail; activity: ActivityState }) {
  const { tab = 'tools', item } = useSearch({ from: '/mcp/sessions/$session' });
  const navigate = useNavigate({ from: '/mcp/sessions/$session' });
  const go = (search: { readonly tab: string; readonly item?: string }): void =>
    void navigate({ search, replace: true, resetScroll: false });
  const panel = { session, activity, item, onChoose: (chosen: string) => go({ tab, item: chosen }) };
  // Of a server that was never reached it is not known how much it offers.
  const isKnown = session.facts !== null;
  const countOf = (...lists: readonly { readonly items: readonly unknown[] }[]) =>
    isKnown ? { count: lists.reduce((sum, { items }) => sum + items.length, 0) } : {};
  return (
    <Tabs
      label="Parts of the session"
      value={tab}
      onChange={(chosen) => go({ tab: chosen })}
      tabs={[
        { key: 'tools', label: 'Tools', ...countOf(session.tools) },
        { key: 'resources', label: 'Resources', ...countOf(session.resources, session.resourceTemplates) },
        { key: 'prompts', label: 'Prompts', ...countOf(session.prompts) },
        { key: 'history', label: 'History' },
        { key: 'calls', label: 'Calls', count: activity.calls.length },
        { key: 'frames', label: 'Frames', count: activity.frames.length },
      ]}
    >
      {!isKnown && ['tools', 'resources', 'prompts'].includes(tab) && <UnknownOffers status={session.status} />}
      {isKnown && tab === 'tools' && <ToolsPanel {...panel} />}
      {isKnown && tab === 'resources' && <ResourcesPanel {...panel} />}
      {isKnown && tab === 'prompts' && <PromptsPanel {...panel} />}
      {tab === 'history' && (
        <Card title="Definitions of the tools, from run to run">
          <DefinitionHistoryView key={activity.detailSequence} label={session.label} session={session.id} />
        </Card>
      )}
      {tab === 'calls' && <CallsPanel session={session} activity={activity} />}
      {tab === 'frames' && <FramesPanel frames={activity.frames} />}
    </Tabs>
  );
}
