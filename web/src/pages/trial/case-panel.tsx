import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type NavigateOptions, useNavigate, useRouter } from '@tanstack/react-router';
import { ListTree } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { trialTitle } from '../../../../src/report/presentation/trial-text.ts';
import { usePageKeys } from '../../app/keys.ts';
import { trialQuery } from '../../data/trials.ts';
import { LinkButton } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/code.tsx';
import { Duration, Money, When } from '../../kit/figures.tsx';
import { Card, ErrorView, Skeleton } from '../../kit/page.tsx';
import { useTrialChoice } from '../run/trial-choice.tsx';
import { RunCaseButton } from '../runs/run-again.tsx';
import { EditRerunButton } from './edit-rerun.tsx';
import type { ShowQuote } from './findings/judge-section.tsx';
import { PromoteButton } from './promote.tsx';
import { Neighbours, SameCase, ScenarioFile } from './trial-facts.tsx';
import { eventIndexOf } from './use-trial-address.ts';
import { decidingFindings } from './what-happened/deciding.ts';
import { WhatHappened } from './what-happened/what-happened.tsx';

interface CasePanelProps {
  readonly trialId: string;
  /** Its neighbours in the list; null at the ends of what is loaded. */
  readonly previous: string | null;
  readonly next: string | null;
}

/** A trial beside the list that it was chosen from: why it ended as it did, and what can be done about it. */
export function CasePanel({ trialId, previous, next }: CasePanelProps) {
  const { linkTo } = useTrialChoice();
  const navigate = useNavigate();
  const goTo = (other: string | null) => (): void => {
    if (other !== null) void navigate(linkTo(other) as NavigateOptions);
  };
  usePageKeys({ '[': goTo(previous), ']': goTo(next) });
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...trialQuery(trialId),
    placeholderData: keepPreviousData,
  });
  if (error) return <ErrorView error={error} onRetry={() => void refetch()} />;
  return (
    <aside
      aria-label="Chosen case"
      aria-busy={data === undefined || isPlaceholderData}
      // Nothing can be done to the trial before while the next one is loaded.
      inert={isPlaceholderData}
      className="sticky top-4 max-h-[calc(100dvh-2rem)] min-w-0 overflow-y-auto"
    >
      {data ? (
        <ChosenTrial trial={data} neighbours={<Neighbours previous={previous} next={next} linkTo={linkTo} />} />
      ) : (
        <Card>
          <Skeleton lines={8} />
        </Card>
      )}
    </aside>
  );
}

function ChosenTrial({ trial, neighbours }: { trial: TrialDetail; neighbours: ReactNode }) {
  const { record, run, eventCount } = trial;
  const { trialId } = record;
  const navigate = useNavigate();
  const deciding = useMemo(() => decidingFindings(record), [record]);
  const onQuote: ShowQuote = ({ event, quote }) =>
    eventIndexOf(event, eventCount) === undefined
      ? undefined
      : () => void navigate({ to: '/trials/$trialId', params: { trialId }, search: { event, quote } });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-col gap-2 rounded-lg border border-line bg-surface px-4 py-3">
        <div className="flex items-start justify-between gap-2">
          <h2 className="line-clamp-2 font-semibold break-words">{trialTitle(record)}</h2>
          {neighbours}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <LinkButton
            size="sm"
            to="/trials/$trialId"
            params={{ trialId }}
            icon={<ListTree size={14} aria-hidden />}
            title="Every step of this trial"
          >
            Open trace
          </LinkButton>
          {!isReport && <RunCaseButton trialId={trialId} whyNot={run.whyNotAgain} />}
          {!isReport && <EditRerunButton trialId={trialId} />}
          {!isReport && <PromoteButton trial={trial} />}
        </div>
        <p className="flex flex-wrap items-center gap-x-3 text-xs text-muted">
          <ScenarioFile record={record} isThere={trial.isFileThere} />
          <Duration ms={record.durationMs} />
          {record.costUsd !== null && record.costUsd > 0 && <Money usd={record.costUsd} />}
          <When at={record.startedAt} />
          {!isReport && <CopyLink trialId={trialId} />}
        </p>
        <SameCase record={record} />
      </div>
      <WhatHappened trial={trial} deciding={deciding} onQuote={onQuote} />
    </div>
  );
}

/** The address of a trial, for a message to others who may open this server. */
function CopyLink({ trialId }: { trialId: string }) {
  const router = useRouter();
  const { href } = router.buildLocation({ to: '/trials/$trialId', params: { trialId } });
  return (
    <span className="inline-flex items-center">
      Link
      <CopyButton text={new URL(href, location.href).href} label="Copy the link to this trial" />
    </span>
  );
}
