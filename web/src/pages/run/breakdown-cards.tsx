import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useState } from 'react';
import type { RunBreakdown } from '../../../../src/entry/server/api/runs.ts';
import { figureLabel, figureText } from '../../../../src/report/compare/figure-words.ts';
import { percentText, rangeText } from '../../../../src/report/presentation/figures.ts';
import { counted, grouped, unknownFigure } from '../../../../src/shared/format.ts';
import { breakdownQuery } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Card, ErrorView } from '../../kit/page.tsx';
import { SmallTable } from '../../kit/small-table.tsx';

/** Figures and tables of the reports beside the totals of a run: assertions, metrics, guidance, tool health. */
export function BreakdownCards({ runId }: { runId: string }) {
  const { data, error, refetch } = useQuery(breakdownQuery(runId));
  if (error) return <ErrorView error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  return (
    <>
      {data.tables.map((table) => (
        <WordsCard key={table.title} table={table} />
      ))}
      {data.assertions.length > 0 && <AssertionsCard assertions={data.assertions} />}
      {data.metrics.length > 0 && <MetricsCard metrics={data.metrics} />}
    </>
  );
}

const shownAtFirst = 12;

/** The first rows of a table, and a button for the rest. */
function LongTable({ rows, ...rest }: ComponentProps<typeof SmallTable>) {
  const [isWhole, setIsWhole] = useState(false);
  const isLong = !isWhole && rows.length > shownAtFirst;
  return (
    <>
      <SmallTable {...rest} rows={isLong ? rows.slice(0, shownAtFirst) : rows} />
      {isLong && (
        <div className="border-t border-line px-4 py-2">
          <Button size="sm" variant="ghost" onClick={() => setIsWhole(true)}>
            Show all {grouped(rows.length)}
          </Button>
        </div>
      )}
    </>
  );
}

function AssertionsCard({ assertions }: { assertions: RunBreakdown['assertions'] }) {
  return (
    <Card title="Assertions" isFlush>
      <LongTable
        label="Assertions"
        columns={[
          { header: 'Assertion' },
          { header: 'Passed', isFigure: true },
          { header: 'Rate', isFigure: true },
          { header: '95 % interval', isFigure: true },
          { header: 'Not judged', isFigure: true },
        ]}
        rows={assertions.map(({ name, rate, unjudged }) => ({
          key: name,
          isProblem: rate.passed < rate.trials,
          cells: [
            name,
            `${grouped(rate.passed)} / ${grouped(rate.trials)}`,
            rate.rate === null ? unknownFigure : percentText(rate.rate),
            rate.interval === null ? unknownFigure : rangeText(rate.interval),
            unjudged === 0 ? '' : grouped(unjudged),
          ],
        }))}
      />
    </Card>
  );
}

type Metric = RunBreakdown['metrics'][number];

function MetricsCard({ metrics }: { metrics: RunBreakdown['metrics'] }) {
  return (
    <Card title="Metrics" isFlush>
      <LongTable
        label="Metrics"
        columns={[
          { header: 'Metric' },
          { header: 'Mean', isFigure: true },
          { header: 'Lowest', isFigure: true },
          { header: 'Highest', isFigure: true },
          { header: 'Trials', isFigure: true },
        ]}
        rows={metrics.map((metric) => ({
          key: metric.name,
          cells: [
            figureLabel(metric.name),
            valueText(metric.mean, metric),
            valueText(metric.lowest, metric),
            valueText(metric.highest, metric),
            `${grouped(metric.trials)}${metric.missing > 0 ? `, ${counted(metric.missing, 'unknown', 'unknown')}` : ''}`,
          ],
        }))}
      />
    </Card>
  );
}

/** A value that was not observed is unknown, never 0. */
function valueText(value: number | null, { unit }: Pick<Metric, 'unit'>): string {
  return value === null ? unknownFigure : figureText(value, unit);
}

function WordsCard({ table }: { table: RunBreakdown['tables'][number] }) {
  const { title, columns, rows, trialIds, unlisted, notes, findings } = table;
  return (
    <Card title={title} isFlush>
      <LongTable
        label={title}
        columns={columns}
        rows={rows.map((cells, index) => ({
          key: `${index} ${cells[0]}`,
          cells: withTrialLink(cells, trialIds?.[index]),
        }))}
      />
      <div className="flex flex-col gap-2 px-4 py-2 text-xs text-muted empty:hidden">
        {unlisted > 0 && <p>… and {counted(unlisted, 'more row')}</p>}
        {findings.map((finding) => (
          <div key={finding.title} className="text-sm text-ink">
            <p className="font-medium">{finding.title}</p>
            <p>{finding.text}</p>
            <ul className="mt-1 flex flex-col gap-0.5">
              {finding.commands.map((command) => (
                <li key={command}>
                  <code className="text-xs wrap-break-word">{command}</code>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </div>
    </Card>
  );
}

/** The first cell of a row that is a trial leads to it. */
function withTrialLink(cells: readonly string[], trialId: string | undefined): readonly ReactNode[] {
  const [name, ...rest] = cells;
  if (trialId === undefined) return cells;
  const link = (
    <Link key={trialId} to="/trials/$trialId" params={{ trialId }} className="text-accent hover:underline">
      {name}
    </Link>
  );
  return [link, ...rest];
}
