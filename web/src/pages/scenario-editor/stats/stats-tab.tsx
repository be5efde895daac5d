import { ChartLine } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ScenarioRun } from '../../../../../src/entry/server/api/stats.ts';
import { figureText } from '../../../../../src/report/compare/figure-words.ts';
import { percentText } from '../../../../../src/report/presentation/figures.ts';
import { counted, formatDuration, grouped, unknownFigure } from '../../../../../src/shared/format.ts';
import { scenarioStatsQuery } from '../../../data/project.ts';
import { ScatterChart } from '../../../kit/chart-scatter.tsx';
import { TrendChart } from '../../../kit/chart-trend.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Select } from '../../../kit/field.tsx';
import { Card, EmptyState } from '../../../kit/page.tsx';
import { figureColumns, SmallTable } from '../../../kit/small-table.tsx';
import { RunIdLink } from '../../../kit/trial-link.tsx';
import { useRead } from '../../../kit/use-read.tsx';
import { fullTimeText } from '../../../kit/when-text.ts';
import {
  latencyColumns,
  meanOf,
  passRatePoints,
  runLabel,
  type Score,
  scorePoints,
  scoresOf,
  tokenPoints,
} from './stats-charts.ts';

/** How the scenarios of a file did over their last runs. */
export function StatsTab({ scenarios }: { scenarios: readonly string[] }) {
  const [chosen, setChosen] = useState('');
  const scenario = scenarios.includes(chosen) ? chosen : scenarios[0];
  if (scenario === undefined) {
    return (
      <EmptyState title="No scenario">
        The file has no scenario that can be read. Correct its problems first.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      {scenarios.length > 1 && (
        <div>
          <Select
            label="Scenario"
            options={scenarios.map((name) => ({ value: name, label: name }))}
            value={scenario}
            onChange={setChosen}
          />
        </div>
      )}
      <ScenarioFigures key={scenario} scenario={scenario} />
    </div>
  );
}

function ScenarioFigures({ scenario }: { scenario: string }) {
  const [data, instead] = useRead(scenarioStatsQuery(scenario), 10);
  if (!data) return instead;
  if (data.runs.length === 0) {
    return (
      <Card>
        <EmptyState icon={<ChartLine size={20} />} title="No figures yet">
          Figures appear when a run of “{scenario}” has ended.
        </EmptyState>
      </Card>
    );
  }
  return <Figures runs={data.runs} />;
}

function Figures({ runs }: { runs: readonly ScenarioRun[] }) {
  const rates = passRatePoints(runs);
  const tokens = tokenPoints(runs);
  const latencies = latencyColumns(runs);
  const cut = runs.filter(({ isCut }) => isCut).length;
  return (
    <>
      <div className="grid gap-4 xl:grid-cols-2">
        <ChartCard title="Pass rate" isEmpty={rates.length === 0} table={<PassTable runs={runs} />}>
          <TrendChart label="Judged trials, with 95 % intervals" points={rates} format={percentText} bounds={[0, 1]} />
        </ChartCard>
        <ChartCard title="Output tokens" isEmpty={tokens.length === 0} table={<TokenTable runs={runs} />}>
          <TrendChart label="Mean of a trial, without judges" points={tokens} format={tokenText} bounds={[0]} />
        </ChartCard>
      </div>
      <ScoreCard runs={runs} />
      <ChartCard title="Latency" isEmpty={latencies.length === 0} table={<LatencyTable runs={runs} />}>
        <ScatterChart label="Each trial of the last 10 runs" columns={latencies} format={formatDuration} />
      </ChartCard>
      {cut > 0 && (
        <p className="text-xs text-muted">
          In {counted(cut, 'run')}, latency, tokens and scores are those of the first 500 trials of the scenario.
        </p>
      )}
    </>
  );
}

/** One score at a time as a chart, all of them in the table. */
function ScoreCard({ runs }: { runs: readonly ScenarioRun[] }) {
  const scores = scoresOf(runs);
  const [name, setName] = useState('');
  const chosen = scores.find((score) => score.name === name) ?? scores[0];
  if (!chosen) return null;
  const { unit, label } = chosen;
  return (
    <ChartCard title="Scores" table={<ScoreTable scores={scores} runs={runs} />}>
      {scores.length > 1 && (
        <div>
          <Select
            label="Score"
            options={scores.map((score) => ({ value: score.name, label: score.label }))}
            value={chosen.name}
            onChange={setName}
          />
        </div>
      )}
      <TrendChart
        label={`Mean ${label} of judged trials, by case`}
        points={scorePoints(runs, chosen.name)}
        format={(value) => figureText(value, unit)}
        bounds={unit === 'share' ? [0, 1] : [0]}
      />
    </ChartCard>
  );
}

/** A chart, and the figures behind it as a table. */
function ChartCard({
  title,
  isEmpty = false,
  table,
  children,
}: {
  title: string;
  isEmpty?: boolean;
  table: ReactNode;
  children: ReactNode;
}) {
  return (
    <Card title={title} isColumn>
      {isEmpty ? <p className="text-muted">Not measured in these runs.</p> : children}
      <div className="text-sm">
        <Disclosure summary={`${title} as a table`}>{table}</Disclosure>
      </div>
    </Card>
  );
}

function FigureTable({
  label,
  headers,
  runs,
  cells,
}: {
  label: string;
  headers: readonly string[];
  runs: readonly ScenarioRun[];
  cells: (run: ScenarioRun) => readonly string[];
}) {
  return (
    <SmallTable
      label={label}
      columns={[
        { header: 'Run', cell: (run) => <RunIdLink runId={run.runId}>{runLabel(run)}</RunIdLink> },
        { header: 'Started', cell: ({ startedAt }) => fullTimeText(startedAt) },
        ...figureColumns(headers, cells),
      ]}
      rows={runs.toReversed()}
    />
  );
}

function PassTable({ runs }: { runs: readonly ScenarioRun[] }) {
  return (
    <FigureTable
      label="Pass rate of each run"
      headers={['Passed', 'Failed', 'Errors', 'Pass rate', '95 % interval']}
      runs={runs}
      cells={({ totals, passRate }) => [
        ...[totals.pass, totals.fail, totals.error].map(grouped),
        ...(passRate === null
          ? [unknownFigure, unknownFigure]
          : [percentText(passRate.rate), `${percentText(passRate.low)} to ${percentText(passRate.high)}`]),
      ]}
    />
  );
}

function ScoreTable({ scores, runs }: { scores: readonly Score[]; runs: readonly ScenarioRun[] }) {
  return (
    <FigureTable
      label="Scores of each run"
      headers={scores.map(({ label }) => label)}
      runs={runs}
      cells={(run) =>
        scores.map(({ name, unit }) => {
          const mean = meanOf(run, name);
          return mean === undefined ? unknownFigure : figureText(mean, unit);
        })
      }
    />
  );
}

function TokenTable({ runs }: { runs: readonly ScenarioRun[] }) {
  return (
    <FigureTable
      label="Tokens of each run"
      headers={['Trials', 'Mean input', 'Mean output']}
      runs={runs}
      cells={({ tokens }) =>
        tokens === null
          ? [grouped(0), unknownFigure, unknownFigure]
          : [grouped(tokens.trials), tokenText(tokens.meanInput), tokenText(tokens.meanOutput)]
      }
    />
  );
}

function LatencyTable({ runs }: { runs: readonly ScenarioRun[] }) {
  return (
    <FigureTable
      label="Latency of each run"
      headers={['Trials', 'Mean', 'Median', 'p95', 'Slowest']}
      runs={runs}
      cells={({ latency }) =>
        latency === null
          ? [grouped(0), ...Array.from({ length: 4 }, () => unknownFigure)]
          : [
              grouped(latency.trials),
              ...[latency.meanMs, latency.medianMs, latency.p95Ms, latency.slowestMs].map(formatDuration),
            ]
      }
    />
  );
}

function tokenText(tokens: number): string {
  return grouped(Math.round(tokens));
}
