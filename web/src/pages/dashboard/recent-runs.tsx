import type { RunItem } from '../../../../src/entry/server/api/runs.ts';
import { LinkButton } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { runColumns } from '../runs/run-columns.tsx';

/** The last few runs. */
export function RecentRuns({ runs }: { runs: readonly RunItem[] }) {
  return (
    <Card
      title="Recent runs"
      isFlush
      actions={
        <LinkButton size="sm" to="/runs">
          All runs
        </LinkButton>
      }
    >
      <DataTable
        label="Recent runs"
        columns={runColumns}
        rows={runs}
        rowKey={({ runId }) => runId}
        rowLink={({ runId }) => ({ to: '/runs/$runId', params: { runId } })}
      />
    </Card>
  );
}
