import type { RuleList } from '../../../../src/entry/server/api/traces.ts';
import { percentText } from '../../../../src/report/presentation/figures.ts';
import { counted, grouped } from '../../../../src/shared/format.ts';
import { Badge } from '../../kit/badge.tsx';
import { TrendChart } from '../../kit/chart-trend.tsx';
import { Card } from '../../kit/page.tsx';
import { RunIdLink } from '../../kit/trial-link.tsx';
import { passRatePoints } from '../dashboard/trend-points.ts';

type RuleTrend = RuleList['items'][number];

const driftBadges = {
  drift: { tone: 'bad', text: 'drifted' },
  'no-drift': { tone: 'good', text: 'no drift' },
  'not-enough-data': { tone: 'neutral', text: 'not enough data' },
} as const;

function currentText({ pass, fail, error }: NonNullable<RuleTrend['current']>): string {
  const judged = `In this period ${grouped(pass)} of ${counted(pass + fail, 'judged trace')} passed`;
  return error === 0 ? judged : `${judged}, ${counted(error, 'error')}`;
}

/** The rules that judge collected traces: how their runs went, and which figures drifted. */
export function RuleTrends({ rules }: { rules: RuleList['items'] }) {
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

function RuleItem({ rule: { rule, drift, trend, current } }: { rule: RuleTrend }) {
  const points = passRatePoints(trend);
  const badge = drift && driftBadges[drift.state];
  const newest = current ?? trend.at(-1);
  return (
    <li className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 break-words font-medium">{rule}</span>
        {badge && <Badge tone={badge.tone}>{badge.text}</Badge>}
        {newest && <RunIdLink runId={newest.runId}>{current ? 'Run that goes on' : 'Newest run'}</RunIdLink>}
      </div>
      {current && <p className="text-sm">{currentText(current)}</p>}
      {drift?.figures.map((text) => (
        <p key={text} className="text-xs text-muted">
          {text}
        </p>
      ))}
      {points.length === 0 ? (
        <p className="text-muted">The first period has not ended yet.</p>
      ) : (
        <TrendChart label={`Pass rate of ${rule}`} points={points} format={percentText} bounds={[0, 1]} />
      )}
    </li>
  );
}
