import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ListTree } from 'lucide-react';
import { useMemo } from 'react';
import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { trialTitle } from '../../../../src/report/presentation/trial-text.ts';
import { trialQuery } from '../../data/trials.ts';
import { LinkButton } from '../../kit/button.tsx';
import { Duration, Money, When } from '../../kit/figures.tsx';
import { Card, ErrorView, Skeleton } from '../../kit/page.tsx';
import { RunCaseButton } from '../runs/run-again.tsx';
import { EditRerunButton } from './edit-rerun.tsx';
import type { ShowQuote } from './findings/judge-section.tsx';
import { PromoteButton } from './promote.tsx';
import { SameCase, ScenarioFile } from './trial-facts.tsx';
import { eventIndexOf } from './use-trial-address.ts';
import { decidingFindings } from './what-happened/deciding.ts';
import { WhatHappened } from './what-happened/what-happened.tsx';

/** A trial beside the list that it was chosen from: why it ended as it did, and what can be done about it. */
export function CasePanel({ trialId }: { trialId: string }) {
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
        <ChosenTrial trial={data} />
      ) : (
        <Card>
          <Skeleton lines={8} />
        </Card>
      )}
    </aside>
  );
}

function ChosenTrial({ trial }: { trial: TrialDetail }) {
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
        <h2 className="line-clamp-2 font-semibold break-words">{trialTitle(record)}</h2>
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
        </p>
        <SameCase record={record} />
      </div>
      <WhatHappened trial={trial} deciding={deciding} onQuote={onQuote} />
    </div>
  );
}
