import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Comparison } from '../../../../src/report/compare/comparison.ts';
import { figureLabel } from '../../../../src/report/compare/figure-words.ts';
import type { VariantRow, VariantTable } from '../../../../src/report/compare/variants/variant-table.ts';
import {
  againstAnswer,
  againstText,
  estimateText,
  figureIn,
  figureNamesIn,
  frontNames,
  frontText,
  perSuccessText,
  rankText,
  rowHead,
  rowNoun,
} from '../../../../src/report/compare/variants/variant-words.ts';
import { frontPicture } from '../../../../src/report/presentation/front-picture.ts';
import { type ComparisonRequest, severalRunsQuery, variantsQuery } from '../../data/trials.ts';
import { FrontChart } from '../../kit/chart-front.tsx';
import { Card, ErrorView, Remark, Skeleton } from '../../kit/page.tsx';
import { SmallTable } from '../../kit/small-table.tsx';
import { RankingCard } from './ranking-card.tsx';
import { RunLink } from './run-link.tsx';

/** All variants of a run: which is the best, what each takes, and every figure. */
export function VariantsView({ runId, by }: { runId: string; by: string }) {
  const { data, error, refetch } = useQuery(variantsQuery(runId, by));
  if (error) return <ErrorView error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <Card title="Variants">
        <Skeleton lines={6} />
      </Card>
    );
  return (
    <>
      <TableCards table={data} />
      {data.variants.length > 2 && <RankingCard runId={runId} by={by} />}
    </>
  );
}

/** Several runs: which is the best, what each takes, and every figure. */
export function SeveralRunsView({ runs }: { runs: readonly string[] }) {
  const { data, error, refetch } = useQuery(severalRunsQuery(runs));
  if (error) return <ErrorView error={error} onRetry={() => void refetch()} />;
  if (data) return <TableCards table={data} />;
  return (
    <Card title="Runs">
      <Skeleton lines={6} />
    </Card>
  );
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
  return (
    <>
      <RanksCard table={table} />
      <div className="grid gap-4 lg:grid-cols-2">
        <FrontCard table={table} against="cost-usd" />
        <FrontCard table={table} against="duration-ms" />
      </div>
      <FiguresByVariant table={table} />
    </>
  );
}

/** The name of a row. */
function nameCell({ by }: VariantTable, label: string): ReactNode {
  return by === 'run' ? <RunLink key="run" runId={label} /> : label;
}

function RanksCard({ table }: { table: VariantTable }) {
  const { variants, question, reference } = table;
  const spent = [...new Set(variants.flatMap(({ perSuccess }) => perSuccess.map(({ name }) => name)))];
  const warnings = [...table.traps, ...table.interactions.filter(({ isCertain }) => isCertain)];
  return (
    <Card title={`${rowHead(table.by)}s`}>
      <p className="mb-2 font-medium">{table.summary}</p>
      <SmallTable
        label={`${rowHead(table.by)}s`}
        columns={[
          { header: rowHead(table.by) },
          { header: 'Rank', isFigure: true },
          { header: figureLabel(question), isFigure: true },
          { header: `Against ${reference}` },
          ...spent.map((name) => ({ header: `${name} per success`, isFigure: true })),
          { header: 'Trials', isFigure: true },
        ]}
        rows={variants.map((row) => ({
          key: row.label,
          cells: [
            nameCell(table, row.label),
            rankText(row),
            <Ranged key="estimate" text={estimateOf(row, question)} />,
            againstOf(row, question),
            ...spent.map((name) => {
              const found = row.perSuccess.find((each) => each.name === name);
              return <Ranged key={name} text={found ? perSuccessText(found) : '–'} />;
            }),
            row.trials,
          ],
        }))}
      />
      <div className="mt-3 flex flex-col gap-2">
        {warnings.map(({ summary }) => (
          <Remark key={summary} tone="warn">
            {summary}
          </Remark>
        ))}
        {table.notes.map((note) => (
          <Remark key={note} tone="info">
            {note}
          </Remark>
        ))}
      </div>
    </Card>
  );
}

type Against = 'cost-usd' | 'duration-ms';

/** The picture, with its data in a table below it. */
function FrontCard({ table, against }: { table: VariantTable; against: Against }) {
  const placed = table.variants.flatMap((row) => {
    const place = row.front.find((each) => each.against === against);
    return place ? [{ row, place }] : [];
  });
  if (placed.length < 2) return null;
  const title = `${figureLabel(table.question)} against ${frontNames[against]}`;
  return (
    <Card title={`Pareto front: ${title}`}>
      <FrontChart label={title} pictureOf={(width, height) => frontPicture(table, against, width, height)} />
      <SmallTable
        label={title}
        columns={[
          { header: rowHead(table.by) },
          { header: 'Front' },
          { header: figureLabel(table.question), isFigure: true },
          { header: frontNames[against], isFigure: true },
        ]}
        rows={placed.map(({ row, place }) => ({
          key: row.label,
          cells: [
            nameCell(table, row.label),
            frontText(place),
            <Ranged key="quality" text={estimateOf(row, table.question)} />,
            <Ranged key="against" text={estimateOf(row, against)} />,
          ],
        }))}
      />
    </Card>
  );
}

/** Every other figure of all variants. */
function FiguresByVariant({ table }: { table: VariantTable }) {
  const { variants, question, reference } = table;
  const title = `Figures by ${rowNoun(table.by)}`;
  const names = figureNamesIn(variants, question).filter((name) => name !== question);
  if (names.length === 0) return null;
  return (
    <Card title={title}>
      <SmallTable
        label={title}
        columns={[
          { header: 'Figure' },
          { header: rowHead(table.by) },
          { header: 'Mean (95 % interval)', isFigure: true },
          { header: `Against ${reference}` },
        ]}
        rows={names.flatMap((name) =>
          variants.map((row) => ({
            key: `${name} ${row.label}`,
            cells: [figureLabel(name), nameCell(table, row.label), estimateOf(row, name), againstOf(row, name)],
          })),
        )}
      />
    </Card>
  );
}

/** A figure with its interval below it, so wide tables fit. */
function Ranged({ text }: { text: string }) {
  const [figure = '', interval] = text.split(/(?= \()/, 2);
  if (interval === undefined) return text;
  return (
    <>
      {figure}
      <span className="block text-xs text-muted">{interval}</span>
    </>
  );
}

function estimateOf(row: VariantRow, name: string): string {
  const figure = figureIn(row, name);
  return figure ? estimateText(figure) : '–';
}

function againstOf(row: VariantRow, name: string): string {
  if (row.isReference) return 'reference';
  const metric = row.differences.find((each) => each.name === name);
  return metric ? `${againstText(metric)}: ${againstAnswer(metric)}` : '–';
}
