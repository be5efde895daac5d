import type { TrialItem } from '../../../../src/entry/server/api/runs.ts';
import { trialTitle } from '../../../../src/report/presentation/trial-text.ts';
import { OutcomeBadge } from '../../kit/badge.tsx';
import { Count, Duration, Money, When } from '../../kit/figures.tsx';
import type { Column } from '../../kit/table-column.ts';

/** How trials stand in lists. */
export const trialColumns: readonly Column<TrialItem>[] = [
  {
    key: 'outcome',
    header: 'Outcome',
    width: '5.5rem',
    render: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
  },
  {
    key: 'trial',
    header: 'Trial',
    isMain: true,
    width: 'minmax(14rem, 4fr)',
    render: (trial) => (
      <span className="block min-w-0">
        <span className="block truncate font-medium">{trialTitle(trial)}</span>
        <span className="block truncate text-xs text-muted">{trial.reason}</span>
      </span>
    ),
  },
  {
    key: 'started',
    header: 'Started',
    sortKey: 'started',
    width: '6.5rem',
    render: ({ startedAt }) => <When at={startedAt} />,
  },
  {
    key: 'duration',
    header: 'Took',
    sortKey: 'duration',
    align: 'end',
    width: '6rem',
    render: ({ durationMs }) => <Duration ms={durationMs} />,
  },
  {
    key: 'tokens',
    header: 'Tokens',
    align: 'end',
    width: '5rem',
    render: ({ inputTokens, outputTokens }) =>
      inputTokens === null && outputTokens === null ? null : (
        <span title="in and out">
          <Count value={(inputTokens ?? 0) + (outputTokens ?? 0)} />
        </span>
      ),
  },
  {
    key: 'cost',
    header: 'Cost',
    sortKey: 'cost',
    align: 'end',
    width: '5.5rem',
    render: ({ costUsd }) => <Money usd={costUsd} />,
  },
];
