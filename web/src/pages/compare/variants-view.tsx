import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Comparison } from '../../../../src/report/compare/comparison.ts';
import { figureLabel } from '../../../../src/report/compare/figure-words.ts';
import type { FrontFigure, VariantTable } from '../../../../src/report/compare/variants/variant-table.ts';
import { frontNames } from '../../../../src/report/compare/variants/variant-words.ts';
import { frontPicture } from '../../../../src/report/presentation/front-picture.ts';
import { variantSections } from '../../../../src/report/presentation/variants-text.ts';
import { plainWords, shownSections } from '../../../../src/shared/blocks/block.ts';
import { type ComparisonRequest, severalRunsQuery, variantsQuery } from '../../data/trials.ts';
import { FrontChart } from '../../kit/chart-front.tsx';
import { Card } from '../../kit/page.tsx';
import { SectionCard } from '../../kit/sections.tsx';
import { useRead } from '../../kit/use-read.tsx';
import { RankingCard } from './ranking-card.tsx';
import { RunLink } from './run-link.tsx';

/** All variants of a run: which is the best, what each takes, and every figure. */
export function VariantsView({ runId, by }: { runId: string; by: string }) {
  const [data, instead] = useRead(variantsQuery(runId, by), 6);
  if (!data) return <Card title="Variants">{instead}</Card>;
  return (
    <>
      <TableCards table={data} />
      {data.variants.length > 2 && <RankingCard runId={runId} by={by} />}
    </>
  );
}

/** Several runs: which is the best, what each takes, and every figure. */
export function SeveralRunsView({ runs }: { runs: readonly string[] }) {
  const [data, instead] = useRead(severalRunsQuery(runs), 6);
  return data ? <TableCards table={data} /> : <Card title="Runs">{instead}</Card>;
}

/** Two larger runs are compared without this picture: it would take as long as the answer once more. */
const mostTrials = 20_000;

/** Quality against cost of two runs as a picture. */
export function FrontOfRuns({ request: { a, b }, comparison }: { request: ComparisonRequest; comparison: Comparison }) {
  const isSmall = comparison.a.trials + comparison.b.trials <= mostTrials;
  const isComparable = comparison.metrics.some(({ name }) => name === 'cost-usd');
  const isDrawn = b !== undefined && b !== a && isSmall && isComparable;
  const { data } = useQuery({ ...severalRunsQuery([a, b ?? '']), enabled: isDrawn });
  return isDrawn && data ? <FrontCard table={data} against="cost-usd" /> : null;
}

function TableCards({ table }: { table: VariantTable }) {
  const nameOf = (label: string): ReactNode => (table.by === 'run' ? <RunLink runId={label} /> : label);
  const [best, question, ...others] = shownSections(variantSections(table)).map((section, index) => (
    <SectionCard key={`${index} ${plainWords(section.title ?? '')}`} section={section} nameOf={nameOf} />
  ));
  return (
    <>
      {best}
      {question}
      <div className="grid gap-4 lg:grid-cols-2">
        <FrontCard table={table} against="cost-usd" />
        <FrontCard table={table} against="duration-ms" />
      </div>
      {others}
    </>
  );
}

/** The Pareto front as a picture; its data are in a table below. */
function FrontCard({ table, against }: { table: VariantTable; against: FrontFigure }) {
  if (table.variants.filter(({ front }) => front.some((each) => each.against === against)).length < 2) return null;
  const title = `${figureLabel(table.question)} against ${frontNames[against]}`;
  return (
    <Card title={`Pareto front: ${title}`}>
      <FrontChart label={title} pictureOf={(width, height) => frontPicture(table, against, width, height)} />
    </Card>
  );
}
