import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { trialTitle } from '../../../../src/report/presentation/trial-text.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { usePageKeys } from '../../app/keys.ts';
import { trialQuery } from '../../data/trials.ts';
import { Badge, OutcomeBadge } from '../../kit/badge.tsx';
import { Card, ErrorView, Page, Skeleton } from '../../kit/page.tsx';
import { RunCaseButton } from '../runs/run-again.tsx';
import { AttackNote } from './attack-note.tsx';
import { EditedNote, EditRerunButton } from './edit-rerun.tsx';
import { PromoteButton } from './promote.tsx';
import { FaultNote, SameCase, TrialFacts, TrialNeighbours } from './trial-facts.tsx';
import { TrialTabs } from './trial-tabs.tsx';

/** One trial: how it was judged and why, and what happened in it. */
export function TrialPage() {
  const { trialId } = useParams({ from: '/trials/$trialId' });
  const { data, error, refetch } = useQuery(trialQuery(trialId));
  if (error && !data)
    return (
      <Page title="Trial" breadcrumbs={[{ label: 'Runs', to: '/runs' }]}>
        <ErrorView error={error} onRetry={() => void refetch()} />
      </Page>
    );
  if (!data)
    return (
      <Page title="Trial" breadcrumbs={[{ label: 'Runs', to: '/runs' }]}>
        <Card>
          <Skeleton lines={10} />
        </Card>
      </Page>
    );
  return <LoadedTrial key={trialId} trial={data} />;
}

function LoadedTrial({ trial }: { trial: TrialDetail }) {
  const { record, run } = trial;
  const navigate = useNavigate();
  const goTo = (trialId: string | null) => (): void => {
    if (trialId !== null) void navigate({ to: '/trials/$trialId', params: { trialId } });
  };
  usePageKeys({ '[': goTo(trial.previousTrialId), ']': goTo(trial.nextTrialId) });
  const title = trialTitle({ ...record, variant: {}, repeat: 1 });
  return (
    <Page
      title={title}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {title} <OutcomeBadge outcome={record.outcome} />
          {record.outcome === 'pass' && record.fault?.code === 'NOT_JUDGED' && <Badge tone="warn">not judged</Badge>}
        </span>
      }
      subtitle={<span className="whitespace-pre-wrap text-ink">{record.reason}</span>}
      breadcrumbs={[
        { label: 'Runs', to: '/runs' },
        { label: run.name ?? run.runId, to: '/runs/$runId', params: { runId: run.runId } },
        { label: `Trial ${grouped(record.ordinal + 1)} of ${grouped(run.planned)}` },
      ]}
      actions={
        <>
          <RunCaseButton trialId={record.trialId} whyNot={run.whyNotAgain} />
          <PromoteButton record={record} />
          <EditRerunButton trialId={record.trialId} />
          <TrialNeighbours trial={trial} />
        </>
      }
    >
      <EditedNote editOf={run.editOf} />
      {record.fault && <FaultNote fault={record.fault} reason={record.reason} />}
      {record.attack && <AttackNote trialId={record.trialId} attack={record.attack} />}
      <Card>
        <div className="flex flex-col gap-3">
          <TrialFacts trial={trial} />
          <SameCase record={record} />
        </div>
      </Card>
      <TrialTabs trial={trial} />
    </Page>
  );
}
