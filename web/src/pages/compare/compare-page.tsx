import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { GitCompareArrows } from 'lucide-react';
import type { Comparison } from '../../../../src/report/compare/comparison.ts';
import type { CompareSearch } from '../../app/search-params.ts';
import { type ComparisonRequest, comparisonQuery } from '../../data/trials.ts';
import { CommandLine } from '../../kit/code.tsx';
import { Card, EmptyState, ErrorView, Page, Skeleton } from '../../kit/page.tsx';
import { AnswerCard } from './answer-card.tsx';
import { ChangedCases } from './changed-cases.tsx';
import { changedCompare, comparisonRequest } from './compare-request.ts';
import { FiguresCard, PlanCard } from './figures-card.tsx';
import { JudgedCard } from './judged-card.tsx';
import { type ChangeSearch, SideChoice } from './side-choice.tsx';
import { DiagnosisCard, SubcommandsCard } from './tool-use.tsx';
import { TrajectoryPanel } from './trajectory-panel.tsx';
import { VariantsView } from './variants-view.tsx';

/** Two runs, or two variants of one, next to each other. */
export function ComparePage() {
  const search = useSearch({ from: '/compare' });
  const navigate = useNavigate();
  const change: ChangeSearch = (part) =>
    void navigate({
      to: '/compare',
      search: (previous) => changedCompare(previous, part),
      resetScroll: false,
    });
  const request = comparisonRequest(search);
  const isTable = !request && search.a !== undefined && search.by !== undefined;
  const areOnlyTrials = !request && !isTable && search.left !== undefined && search.right !== undefined;
  return (
    <Page title="Compare" subtitle="What changed from A to B, and how certain that is">
      <SideChoice search={search} onChange={change} />
      {request && <Answers request={request} search={search} onChange={change} />}
      {isTable && <VariantsView runId={search.a ?? ''} by={search.by ?? ''} />}
      {areOnlyTrials && (
        <Card title="Two trials">
          <TrajectoryPanel left={search.left ?? ''} right={search.right ?? ''} />
        </Card>
      )}
      {!request && !isTable && !areOnlyTrials && (
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
  const { data, error, refetch } = useQuery({ ...comparisonQuery(request), placeholderData: keepPreviousData });
  if (error) return <ErrorView error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <Card>
        <Skeleton lines={8} />
      </Card>
    );
  return (
    <>
      <AnswerCard comparison={data} onForce={() => onChange({ force: 'true' })} />
      {data.metrics.length > 0 && <FiguresCard metrics={data.metrics} />}
      <PlanCard metrics={data.metrics} />
      {data.metrics.length > 0 && <JudgedCard request={request} judged={data.judged} />}
      {hasAnswers(data) && (
        <ChangedCases
          cases={data.changedCases}
          left={search.left}
          right={search.right}
          onShow={(left, right) => onChange({ left, right })}
        />
      )}
      <SubcommandsCard subcommands={data.subcommands} />
      <DiagnosisCard diagnosis={data.diagnosis} />
    </>
  );
}

function hasAnswers({ answer }: Comparison): boolean {
  return answer !== 'not-comparable';
}
