import type { MetricComparison } from '../../../../src/report/compare/comparison.ts';
import { figureLegend, foldedFigures, likeTheseCell, tasksCell } from '../../../../src/report/compare/figure-rows.ts';
import {
  boundText,
  figureLabel,
  fullChangeText,
  intervalText,
  levelText,
  planText,
  sampleText,
  sideTexts,
  widestAnswer,
} from '../../../../src/report/compare/figure-words.ts';
import { Badge } from '../../kit/badge.tsx';
import { IntervalChart, type IntervalRow } from '../../kit/chart-intervals.tsx';
import { classes } from '../../kit/classes.ts';
import { Card } from '../../kit/page.tsx';
import { figureColumns, type SmallColumn, SmallTable } from '../../kit/small-table.tsx';
import { answerLook } from './answer-card.tsx';
import { drawnInterval } from './figures.ts';

/** A difference with its interval: the middle line means no difference, the band differences too small to matter. */
function IntervalBar({ metric }: { metric: MetricComparison }) {
  const drawn = drawnInterval(metric);
  if (!drawn) return <span className="text-xs text-muted">too few cases</span>;
  const { fill, stroke } = answerLook(widestAnswer(metric).answer);
  return (
    <svg
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${levelText(metric)} interval ${intervalText(metric)}`}
      className="block h-5 w-28"
    >
      <rect x={drawn.bandLow} y={0} width={drawn.bandHigh - drawn.bandLow} height={20} className="fill-raised" />
      <line x1={50} x2={50} y1={0} y2={20} vectorEffect="non-scaling-stroke" className="stroke-edge" />
      <line
        x1={drawn.low}
        x2={Math.max(drawn.high, drawn.low + 0.5)}
        y1={10}
        y2={10}
        strokeWidth={2}
        vectorEffect="non-scaling-stroke"
        className={stroke}
      />
      <rect x={drawn.estimate - 1.5} y={5} width={3} height={10} className={classes(fill)} />
    </svg>
  );
}

/** Every figure on both sides, with how far their difference is certain. */
export function FiguresCard({ metrics }: { metrics: readonly MetricComparison[] }) {
  const shares = metrics.flatMap(({ name, unit, difference, interval }) =>
    unit === 'share' && interval ? [{ label: figureLabel(name), estimate: difference, ...interval, zero: 0 }] : [],
  );
  const ratios = metrics.flatMap(({ name, typical }) =>
    typical?.interval
      ? [{ label: figureLabel(name), estimate: typical.ratio - 1, ...lessOne(typical.interval), zero: 0 }]
      : [],
  );
  const { listed, folded } = foldedFigures(metrics);
  const below = [...(folded === undefined ? [] : [folded]), ...figureLegend(metrics)];
  return (
    <Card title="Figures" isFlush>
      {(shares.length > 0 || ratios.length > 0) && (
        <div className="grid gap-x-8 gap-y-4 border-b border-line px-4 py-3 lg:grid-cols-2">
          <Differences title="Differences of shares from A to B, in points" rows={shares} />
          <Differences title="Change of a typical trial from A to B, in percent" rows={ratios} />
        </div>
      )}
      <SmallTable
        label="Figures"
        columns={metricColumns}
        rows={listed}
        isProblem={({ onTheseTasks }) => onTheseTasks.answer === 'worse'}
      />
      {below.length > 0 && (
        <div className="border-t border-line px-4 py-3 text-sm text-muted">
          {below.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      )}
    </Card>
  );
}

/** Differences with their intervals on one scale; the broken line means no difference. */
function Differences({ title, rows }: { title: string; rows: readonly IntervalRow[] }) {
  if (rows.length === 0) return null;
  return (
    <div className="min-w-0">
      <p className="mb-2 text-xs text-muted">{title}, with the intervals of the table</p>
      <IntervalChart rows={rows} format={(value) => boundText(value, 'share')} label={title} />
    </div>
  );
}

function lessOne({ low, high }: { readonly low: number; readonly high: number }) {
  return { low: low - 1, high: high - 1 };
}

const metricColumns: readonly SmallColumn<MetricComparison>[] = [
  { header: 'Figure', cell: ({ name, typical }) => `${figureLabel(name)}${typical ? ', typical' : ''}` },
  ...figureColumns(['A', 'B'], sideTexts),
  { header: 'Difference or ratio', isFigure: true, cell: fullChangeText },
  {
    header: 'On these tasks (95 %)',
    cell: (metric) => {
      const { answer } = metric.onTheseTasks;
      // Many badges that say "not enough data" would hide the one that says something.
      if (answer === 'not-enough-data') return <span className="text-muted">{tasksCell(metric)}</span>;
      return <Badge tone={answerLook(answer).tone}>{tasksCell(metric)}</Badge>;
    },
  },
  {
    header: 'For tasks like these (95 %)',
    // One above the other: side by side they push the last column out of a window of usual width.
    cell: (metric) => (
      <span className="flex flex-col gap-1">
        <IntervalBar metric={metric} />
        <span className="text-xs text-muted tabular-nums">{likeTheseCell(metric)}</span>
      </span>
    ),
  },
  { header: 'Cases', isFigure: true, cell: sampleText },
];

/** The effort that would decide the undecided figures. */
export function PlanCard({ metrics }: { metrics: readonly MetricComparison[] }) {
  const plans = metrics.flatMap((metric) => {
    const text = planText(metric);
    return text === undefined ? [] : [{ name: metric.name, text }];
  });
  if (plans.length === 0) return null;
  return (
    <Card title="What you would need to decide for tasks like these">
      <ul className="flex flex-col gap-1">
        {plans.map(({ name, text }) => (
          <li key={name}>
            <span className="font-medium">{figureLabel(name)}:</span> {text}
          </li>
        ))}
      </ul>
    </Card>
  );
}
