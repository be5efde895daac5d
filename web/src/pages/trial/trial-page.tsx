import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { TrialRecord } from '../../../../src/domain/record.ts';
import { variantText } from '../../../../src/domain/variant-text.ts';
import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { attackEndText } from '../../../../src/report/presentation/attack-text.ts';
import { trialTitle } from '../../../../src/report/presentation/trial-text.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { usePageKeys } from '../../app/keys.ts';
import { trialQuery } from '../../data/trials.ts';
import { OutcomeBadge } from '../../kit/badge.tsx';
import { allRuns, Card, ErrorView, Page, Remark, Skeleton } from '../../kit/page.tsx';
import { ownPage } from '../run/trial-choice.tsx';
import { RunCaseButton } from '../runs/run-again.tsx';
import { EditRerunButton } from './edit-rerun.tsx';
import { PromoteButton } from './promote.tsx';
import { EditedNote, Neighbours, SameCase } from './trial-facts.tsx';
import { TrialTabs } from './trial-tabs.tsx';
import { changedSearch, eventName } from './use-trial-address.ts';

/** One trial: how it was judged and why, and what happened in it. */
export function TrialPage() {
  const { trialId } = useParams({ from: '/trials/$trialId' });
  const { data, error, refetch } = useQuery(trialQuery(trialId));
  if (error && !data)
    return (
      <Page title="Trial" breadcrumbs={[allRuns]}>
        <ErrorView error={error} onRetry={() => void refetch()} />
      </Page>
    );
  if (!data)
    return (
      <Page title="Trial" breadcrumbs={[allRuns]}>
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
  const imported = run.importedFrom === null ? '' : `imported from ${run.importedFrom}`;
  const details = [variantText(record.variant), `repeat ${record.repeat}`, imported].filter((part) => part !== '');
  return (
    <Page
      title={title}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {title} <OutcomeBadge outcome={record.outcome} />
        </span>
      }
      subtitle={details.join(' · ')}
      breadcrumbs={[
        allRuns,
        { label: run.name ?? run.runId, to: '/runs/$runId', params: { runId: run.runId } },
        { label: `Trial ${grouped(record.ordinal + 1)} of ${grouped(run.planned)}` },
      ]}
      actions={
        <>
          {!isReport && <RunCaseButton trialId={record.trialId} whyNot={run.whyNotAgain} />}
          {!isReport && <PromoteButton trial={trial} />}
          {!isReport && <EditRerunButton trialId={record.trialId} />}
          <Neighbours previous={trial.previousTrialId} next={trial.nextTrialId} linkTo={ownPage} />
        </>
      }
    >
      <EditedNote editOf={run.editOf} />
      <SameCase record={record} />
      {record.attack && <AttackNote trialId={record.trialId} attack={record.attack} />}
      <TrialTabs trial={trial} />
    </Page>
  );
}

interface AttackNoteProps {
  readonly trialId: string;
  readonly attack: NonNullable<TrialRecord['attack']>;
}

/** How the attack ended, with the events that show a success: the outcome of the trial is about its task. */
function AttackNote({ trialId, attack }: AttackNoteProps) {
  const isSafe = attack.outcome === 'resisted' || attack.outcome === 'not-reached';
  return (
    <Remark tone={isSafe ? 'info' : 'warn'}>
      {attackEndText(attack)}
      {attack.evidence.map(({ event }) => (
        <Link
          key={event}
          to="/trials/$trialId"
          params={{ trialId }}
          search={(previous) => changedSearch(previous, { event: eventName(event), quote: undefined })}
          className="ml-2 rounded font-mono text-xs text-accent hover:underline"
          aria-label={`Event ${eventName(event)}, which shows it`}
        >
          {eventName(event)}
        </Link>
      ))}
    </Remark>
  );
}
