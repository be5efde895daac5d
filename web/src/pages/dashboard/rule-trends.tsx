import type { Dashboard } from '../../../../src/entry/server/api/runs.ts';
import { percentText } from '../../../../src/report/presentation/figures.ts';
import { Badge } from '../../kit/badge.tsx';
import { TrendChart } from '../../kit/chart-trend.tsx';
import { Card } from '../../kit/page.tsx';
import { passRatePoints } from './trend-points.ts';

type RuleTrend = Dashboard['rules'][number];

const driftBadges = {
  drift: { tone: 'bad', text: 'drifted' },
  'no-drift': { tone: 'good', text: 'no drift' },
  'not-enough-data': { tone: 'neutral', text: 'not enough data' },
} as const;

/** The rules that judge collected traces: how their runs went, and which figures drifted. */
export function RuleTrends({ rules }: { rules: Dashboard['rules'] }) {
  if (rules.length === 0) return null;
  return (
    <Card title="Rules">
      <ul className="grid gap-6 lg:grid-cols-2">
        {rules.map((rule) => (
          <RuleItem key={rule.rule} rule={rule} />
        ))}
      </ul>
    </Card>
  );
}

function RuleItem({ rule: { rule, drift, trend } }: { rule: RuleTrend }) {
  const points = passRatePoints(trend);
  const badge = drift && driftBadges[drift.state];
  return (
    <li className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 break-words font-medium">{rule}</span>
        {badge && <Badge tone={badge.tone}>{badge.text}</Badge>}
      </div>
      {drift?.figures.map((text) => (
        <p key={text} className="text-xs text-muted">
          {text}
        </p>
      ))}
      {points.length === 0 ? (
        <p className="text-muted">No run of this rule has ended yet.</p>
      ) : (
        <TrendChart label={`Pass rate of ${rule}`} points={points} format={percentText} bounds={[0, 1]} />
      )}
    </li>
  );
}
