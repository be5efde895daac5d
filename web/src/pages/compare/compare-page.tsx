import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { GitCompareArrows } from 'lucide-react';
import type { Comparison } from '../../../../src/report/compare/comparison.ts';
import { counted, grouped } from '../../../../src/shared/format.ts';
import type { CompareSearch } from '../../app/search-params.ts';
import { workQuery } from '../../data/queries.ts';
import { type ComparisonRequest, comparisonQuery } from '../../data/trials.ts';
import { Button } from '../../kit/button.tsx';
import { CommandLine } from '../../kit/code.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Card, EmptyState, ErrorView, Page, Skeleton } from '../../kit/page.tsx';
import { ShareButton } from '../share/share-button.tsx';
import { AnswerCard } from './answer-card.tsx';
import { AnswersByVariant } from './answers-by-variant.tsx';
import { changedCompare, compareTab, comparisonFile, comparisonRequest, runsOf } from './compare-request.ts';
import { ComparedCases } from './compared-cases.tsx';
import { DotsCard } from './dots-card.tsx';
import { FiguresCard, PlanCard } from './figures-card.tsx';
import { JudgedCard } from './judged-card.tsx';
import { type ChangeSearch, SideChoice } from './side-choice.tsx';
import { DiagnosisCard, SubcommandsCard } from './tool-use.tsx';
import { TrajectoryPanel } from './trajectory-panel.tsx';
import { FrontOfRuns, SeveralRunsView, VariantsView } from './variants-view.tsx';

/** Runs, or variants of one, next to each other. */
export function ComparePage() {
  const search = useSearch({ from: '/compare' });
  const navigate = useNavigate();
  const change: ChangeSearch = (part, isFilled = false) =>
    void navigate({
      to: '/compare',
      search: (previous) => changedCompare(previous, part),
      replace: isFilled,
      resetScroll: false,
    });
  const request = comparisonRequest(search);
  const isTable = !request && search.a !== undefined && search.by !== undefined;
  const several = compareTab(search) === 'several' ? runsOf(search) : [];
  const fileUrl = isReport ? undefined : comparisonFile(search);
  const isAnswered = request !== undefined || isTable || several.length > 1;
  return (
    <Page
      title="Compare"
      subtitle="What changed from A to B, and how certain that is"
      actions={!isReport && fileUrl && <ShareButton what="comparison" fileUrl={fileUrl} />}
    >
      {!isReport && <SideChoice search={search} onChange={change} />}
      {request && <Answers request={request} search={search} onChange={change} />}
      {isTable && <VariantsView runId={search.a ?? ''} by={search.by ?? ''} />}
      {!isReport && isTable && <AnswersByVariant runId={search.a ?? ''} />}
      {several.length > 1 && <SeveralRunsView runs={several} />}
      {!isAnswered && <TwoTrials left={search.left} right={search.right} />}
      {!isReport && !isAnswered && search.left === undefined && compareTab(search) === 'runs' && (
        <EmptyState icon={<GitCompareArrows size={20} />} title="Choose two sides">
          <p className="mb-2">Runs of the same scenarios can be compared case by case. In a terminal:</p>
          <CommandLine command="assay compare latest~1 latest" />
        </EmptyState>
      )}
    </Page>
  );
}

interface AnswersProps {
  readonly request: ComparisonRequest;
  readonly search: CompareSearch;
  readonly onChange: ChangeSearch;
}

function Answers({ request, search, onChange }: AnswersProps) {
  const query = comparisonQuery(request);
  const client = useQueryClient();
  const { data, error, refetch, fetchStatus } = useQuery({ ...query, placeholderData: keepPreviousData });
  if (error) return <ErrorView error={error} onRetry={() => void refetch()} />;
  if (!data)
    return isReport ? null : (
      <Comparing
        runs={[request.a, ...(request.b === undefined ? [] : [request.b])]}
        isCancelled={fetchStatus === 'idle'}
        onCancel={() => void client.cancelQueries({ queryKey: query.queryKey })}
        onAgain={() => void refetch()}
      />
    );
  const { left, right } = search;
  const isListed =
    left === 'none' ||
    [...data.changedCases, ...(data.details?.unchangedCases ?? [])].some(
      ({ trialA, trialB }) => trialA === left && trialB === right,
    );
  return (
    <>
      <AnswerCard comparison={data} onForce={() => onChange({ force: 'true' })} />
      {!isListed && <TwoTrials left={left} right={right} />}
      {hasAnswers(data) && (
        <ComparedCases
          comparison={data}
          left={left}
          right={right}
          onShow={(shownA, shownB) => onChange({ left: shownA, right: shownB })}
        />
      )}
      {data.metrics.length > 0 && (
        <section aria-label="All figures" className="min-w-0 rounded-lg border border-line bg-surface">
          <Disclosure
            isWide
            isOpen={data.changedCases.length === 0}
            summary={`${counted(data.metrics.length, 'figure')} with their intervals`}
          >
            <div className="flex flex-col gap-4 p-4 pt-0">
              <FiguresCard metrics={data.metrics} />
              <DotsCard comparison={data} />
              <FrontOfRuns request={request} comparison={data} />
            </div>
          </Disclosure>
        </section>
      )}
      <PlanCard metrics={data.metrics} />
      {data.metrics.length > 0 && !(isReport && !data.judged) && <JudgedCard request={request} judged={data.judged} />}
      <SubcommandsCard subcommands={data.subcommands} />
      <DiagnosisCard diagnosis={data.diagnosis} />
    </>
  );
}

/** The steps of two trials that an address names, whatever they are trials of. */
function TwoTrials({ left, right }: { left: string | undefined; right: string | undefined }) {
  if (left === undefined || right === undefined || left === 'none') return null;
  return (
    <Card title="Steps of two trials">
      <TrajectoryPanel left={left} right={right} />
    </Card>
  );
}

function hasAnswers({ answer }: Comparison): boolean {
  return answer !== 'not-comparable';
}

interface ComparingProps {
  /** Ids of the runs, or their beginnings. */
  readonly runs: readonly string[];
  readonly isCancelled: boolean;
  onCancel(): void;
  onAgain(): void;
}

/** A comparison that is made: how far it is, and a way to end it. */
function Comparing({ runs, isCancelled, onCancel, onAgain }: ComparingProps) {
  const { data } = useQuery({ ...workQuery(), enabled: !isCancelled });
  const work = data?.items.find(
    ({ kind, runIds }) => kind === 'compare' && runs.every((run) => runIds.some((runId) => runId.startsWith(run))),
  );
  if (isCancelled) {
    return (
      <Card>
        <p className="mb-3">The comparison was cancelled.</p>
        <Button onClick={onAgain}>Compare again</Button>
      </Card>
    );
  }
  return (
    <Card>
      {work && (
        <div className="mb-4 flex items-center justify-between gap-3">
          <p>
            {work.isWaiting
              ? 'Waiting for other comparisons'
              : `${grouped(work.read)} of ${grouped(work.trials)} trials read`}
          </p>
          <Button onClick={onCancel}>Cancel</Button>
        </div>
      )}
      <Skeleton lines={8} />
    </Card>
  );
}
