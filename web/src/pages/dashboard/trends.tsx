import type { Dashboard } from '../../../../src/entry/server/api/runs.ts';
import { costText, percentText } from '../../../../src/report/presentation/figures-text.ts';
import { Card } from '../../kit/card.tsx';
import { TrendChart, type TrendPoint } from '../../kit/chart-trend.tsx';
import { fullTimeText } from '../../kit/when-text.ts';

type Trend = Dashboard['trend'];

/** Pass rate and cost, run after run. */
export function Trends({ trend }: { trend: Trend }) {
  const rates = trend.flatMap((run): TrendPoint[] =>
    run.passRate === null
      ? []
      : [{ ...pointOf(run), y: run.passRate, low: run.low ?? undefined, high: run.high ?? undefined }],
  );
  const costs = trend.flatMap((run): TrendPoint[] =>
    run.costUsd === null ? [] : [{ ...pointOf(run), y: run.costUsd }],
  );
  const isCostly = costs.some(({ y }) => y > 0);
  if (rates.length === 0) return null;
  return (
    <Card title="Over time">
      <div className={isCostly ? 'grid gap-6 lg:grid-cols-2' : ''}>
        <TrendChart label="Pass rate, with 95 % intervals" points={rates} format={percentText} bounds={[0, 1]} />
        {isCostly && <TrendChart label="Cost of a run" points={costs} format={costText} bounds={[0]} />}
      </div>
    </Card>
  );
}

function pointOf({ runId, name, startedAt }: Trend[number]): Omit<TrendPoint, 'y'> {
  return { x: startedAt, label: name ?? fullTimeText(startedAt), href: `/runs/${encodeURIComponent(runId)}` };
}
