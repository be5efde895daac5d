import type { TrialRecord } from '../../../../../src/domain/record.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Card } from '../../../kit/card.tsx';
import { shownCriteria } from './result-groups.ts';
import { StateBadge } from './state-badge.tsx';

/** Each boolean criterion with its explanation: which part of it was false, and with which values. */
export function CriteriaSection({ criteria }: { criteria: NonNullable<TrialRecord['criteria']> }) {
  const shown = shownCriteria(criteria);
  const { reason, confidence, recommendation } = criteria.summary;
  if (shown.length === 0) return null;
  return (
    <Card title="Criteria" actions={<Badge tone="neutral">confidence {confidence.toLowerCase()}</Badge>}>
      <p>{reason}</p>
      {recommendation !== '' && <p className="text-muted">{recommendation}</p>}
      <ul className="mt-2 flex flex-col divide-y divide-line">
        {shown.map(({ key, criterion, mustBe, isGood, explanation }) => (
          <li key={key} className="flex flex-col gap-1 py-2">
            <span className="flex flex-wrap items-center gap-2">
              <StateBadge state={isGood ? 'pass' : 'fail'} />
              <span className="text-xs text-muted">must be {String(mustBe)}</span>
              <code className="min-w-0 rounded bg-raised px-1.5 py-0.5 font-mono text-xs">{criterion}</code>
            </span>
            <span className="text-sm whitespace-pre-wrap text-muted">{explanation}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
