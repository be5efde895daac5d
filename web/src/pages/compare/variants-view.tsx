import { useQuery } from '@tanstack/react-query';
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
} from '../../../../src/report/compare/variants/variant-words.ts';
import { frontPicture } from '../../../../src/report/presentation/front-picture.ts';
import { variantsQuery } from '../../data/trials.ts';
import { FrontChart } from '../../kit/chart-front.tsx';
import { Card, ErrorView, Remark, Skeleton } from '../../kit/page.tsx';
import { SmallTable } from '../../kit/small-table.tsx';
import { RankingCard } from './ranking-card.tsx';

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
      <RanksCard table={data} />
      <div className="grid gap-4 lg:grid-cols-2">
        <FrontCard table={data} against="cost-usd" />
        <FrontCard table={data} against="duration-ms" />
      </div>
      <FiguresByVariant table={data} />
      {data.variants.length > 2 && <RankingCard runId={runId} by={by} />}
    </>
  );
}

function RanksCard({ table }: { table: VariantTable }) {
  const { variants, question, reference } = table;
  const spent = [...new Set(variants.flatMap(({ perSuccess }) => perSuccess.map(({ name }) => name)))];
  const warnings = [...table.traps, ...table.interactions.filter(({ isCertain }) => isCertain)];
  return (
    <Card title="Variants">
      <p className="mb-2 font-medium">{table.summary}</p>
      <SmallTable
        label="Variants"
        columns={[
          { header: 'Variant' },
          { header: 'Rank', isFigure: true },
          { header: figureLabel(question), isFigure: true },
          { header: `Against ${reference}` },
          ...spent.map((name) => ({ header: `${name} per success`, isFigure: true })),
          { header: 'Trials', isFigure: true },
        ]}
        rows={variants.map((row) => ({
          key: row.label,
          cells: [
            row.label,
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
          { header: 'Variant' },
          { header: 'Front' },
          { header: figureLabel(table.question), isFigure: true },
          { header: frontNames[against], isFigure: true },
        ]}
        rows={placed.map(({ row, place }) => ({
          key: row.label,
          cells: [
            row.label,
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
function FiguresByVariant({ table: { variants, question, reference } }: { table: VariantTable }) {
  const names = figureNamesIn(variants, question).filter((name) => name !== question);
  if (names.length === 0) return null;
  return (
    <Card title="Figures by variant">
      <SmallTable
        label="Figures by variant"
        columns={[
          { header: 'Figure' },
          { header: 'Variant' },
          { header: 'Mean (95 % interval)', isFigure: true },
          { header: `Against ${reference}` },
        ]}
        rows={names.flatMap((name) =>
          variants.map((row) => ({
            key: `${name} ${row.label}`,
            cells: [figureLabel(name), row.label, estimateOf(row, name), againstOf(row, name)],
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
