import type { RunItem } from '../../../../src/entry/server/api/runs.ts';
import { counted } from '../../../../src/shared/format.ts';
import { Badge } from '../../kit/badge.tsx';
import { Duration, Money, When } from '../../kit/figures.tsx';
import type { Column } from '../../kit/table-column.ts';
import { experimentMark, originText, RunResult, runTitle, sourceText, TrialsBar } from './run-summary.tsx';

/** How runs stand in lists. */
export const runColumns: readonly Column<RunItem>[] = [
  { key: 'run', header: 'Run', width: 'minmax(12rem, 3fr)', isMain: true, render: (run) => <RunName run={run} /> },
  { key: 'result', header: 'Result', width: 'minmax(5.5rem, 1fr)', render: (run) => <RunResult run={run} /> },
  {
    key: 'trials',
    header: 'Passed',
    sortKey: 'passRate',
    width: 'minmax(12rem, 1.2fr)',
    render: (run) => <TrialsBar totals={run.totals} />,
  },
  {
    key: 'started',
    header: 'Started',
    sortKey: 'started',
    width: '6.5rem',
    render: (run) => <When at={run.startedAt} />,
  },
  {
    key: 'duration',
    header: 'Took',
    sortKey: 'duration',
    width: '6rem',
    align: 'end',
    render: (run) => <Duration ms={run.durationMs} />,
  },
  {
    key: 'cost',
    header: 'Cost',
    sortKey: 'cost',
    width: '5.5rem',
    align: 'end',
    render: (run) => <Money usd={run.costUsd} />,
  },
];

/** Who started it on what, and what people called it. */
function RunOrigin({ run }: { run: RunItem }) {
  const { tags, source } = run;
  const origin = originText(run);
  if (tags.length === 0 && source === null && origin === '') return null;
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1 text-xs text-muted">
      {origin !== '' && <Badge tone="neutral">{origin}</Badge>}
      {tags.map((tag) => (
        <Badge key={tag} tone="neutral">
          {tag}
        </Badge>
      ))}
      {source && <span className="truncate">{sourceText(source)}</span>}
    </span>
  );
}

function RunName({ run }: { run: RunItem }) {
  return (
    <span className="block min-w-0">
      <span className="block truncate font-medium">{runTitle(run)}</span>
      <span className="block truncate text-xs text-muted">
        {run.runId}
        {' · '}
        {counted(run.scenarioCount, 'scenario')}
      </span>
      <RunOrigin run={run} />
      {run.experiment && <span className="block truncate text-xs text-muted">{experimentMark(run.experiment)}</span>}
    </span>
  );
}
