import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunHead, ShownRun } from '../../../../src/entry/server/api/runs.ts';
import { hookProblemText } from '../../../../src/report/presentation/figures.ts';
import { originText } from '../../../../src/report/presentation/origin-text.ts';
import { ApiFailure } from '../../data/api.ts';
import { runFiguresQuery, runQuery } from '../../data/queries.ts';
import { useRunEvents } from '../../data/run-stream.ts';
import { CopyButton } from '../../kit/code.tsx';
import { When } from '../../kit/figures.tsx';
import { allRuns, Card, ErrorView, Page, Remark, Skeleton } from '../../kit/page.tsx';
import { SectionCard } from '../../kit/sections.tsx';
import { VariantsView } from '../compare/variants-view.tsx';
import { RunMarks, RunResult, runTitle } from '../runs/run-summary.tsx';
import { BreakdownCards } from './breakdown-cards.tsx';
import { ExperimentCard, ExperimentRounds } from './experiment-card.tsx';
import { ResultsView } from './grid/results-view.tsx';
import { LiveProgress } from './live-progress.tsx';
import { RunActions } from './run-actions.tsx';
import { RunTotals } from './run-totals.tsx';

const liveRefetchMs = 3_000;

/** One run: how it goes or went, where it went wrong, and its trials. */
export function RunPage() {
  const { runId } = useParams({ from: '/runs/$runId' });
  const query = useQuery({
    ...runQuery(runId),
    refetchInterval: ({ state }) => (state.data?.isLive ? liveRefetchMs : false),
  });
  const breadcrumbs = [allRuns, { label: runId }];
  if (query.data !== undefined) return <CountedRun key={query.data.runId} head={query.data} />;
  return (
    <Page title="Run" breadcrumbs={breadcrumbs} subtitle=" ">
      {query.isError ? (
        <ErrorView error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          <Card>
            <Skeleton lines={3} />
          </Card>
          <Card title="Trials">
            <Skeleton lines={10} />
          </Card>
        </>
      )}
    </Page>
  );
}

/** The run as its counts have it; figures follow when they are computed. */
function CountedRun({ head }: { head: RunHead }) {
  const { data, error, refetch } = useQuery({ ...runFiguresQuery(head), enabled: !head.isLive });
  return (
    <LoadedRun
      run={head.isLive ? head : { ...data, ...head }}
      problem={error && <ErrorView error={error} onRetry={() => void refetch()} />}
    />
  );
}

function LoadedRun({ run, problem }: { run: ShownRun; problem: ReactNode }) {
  const events = useRunEvents(run.runId, run.isLive);
  const title = runTitle(run);
  const { origin } = run.header.request;
  const live = run.isLive ? events.progress : null;
  const totals = live?.totals ?? run.totals;
  const experimentBy = run.header.request.experiment?.by;
  return (
    <Page
      title={title}
      heading={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {title} <RunResult run={run} />
        </span>
      }
      breadcrumbs={[allRuns, { label: run.runId }]}
      subtitle={
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="inline-flex items-center font-mono text-xs">
            {run.runId}
            <CopyButton text={run.runId} label="Copy the id of the run" />
          </span>
          <When at={run.startedAt} />
          <span>Assay {run.header.assayVersion}</span>
          {origin !== null && <span>{originText(origin)}</span>}
          <RunMarks run={run} />
          {run.whyNotAgain !== null && <span>It cannot be run again. {run.whyNotAgain}</span>}
        </span>
      }
      {...(isReport ? {} : { actions: <RunActions run={run} /> })}
    >
      {run.notes !== null && (
        <section aria-label="Notes" className="whitespace-pre-wrap wrap-break-word text-sm">
          {run.notes}
        </section>
      )}
      {events.ended?.type === 'failed' && <ErrorView error={new ApiFailure(500, events.ended.error)} />}
      {!isReport && run.isLive && <LiveProgress run={run} events={events} />}
      {(run.header.hookProblems ?? []).map((problem) => (
        <Remark key={`${problem.hook} ${problem.command}`} tone="warn">
          {hookProblemText(problem)}
        </Remark>
      ))}
      {problem}
      <ExperimentCard run={run} />
      {!run.isLive && run.ci && <SectionCard section={run.ci} />}
      <RunTotals run={run} totals={totals} cost={live?.cost ?? run.cost} />
      <ResultsView run={run} failed={totals.fail + totals.error} />
      {experimentBy !== undefined && !run.isLive && hasLooks(run) && (
        <VariantsView runId={run.runId} by={experimentBy} />
      )}
      <ExperimentRounds run={run} />
      {!run.isLive && <BreakdownCards run={run} />}
    </Page>
  );
}

function hasLooks({ header }: RunHead): boolean {
  return (header.experiment?.looks.length ?? 0) > 0;
}
