import type { Settings } from '../../../../src/entry/server/api/project.ts';
import { Badge } from '../../kit/badge.tsx';
import { Card } from '../../kit/card.tsx';
import { SmallTable } from '../../kit/small-table.tsx';

/** The coding agents that are known, and whether each can be used here. */
export function AgentsCard({ agents }: Pick<Settings, 'agents'>) {
  const ordered = agents.toSorted((a, b) => Number(b.isUsable) - Number(a.isUsable));
  const rows = ordered.map(({ id, title, isUsable, detail }) => ({
    key: id,
    cells: [
      <span key="name">
        <span className="font-medium">{id}</span>
        <span className="block text-xs text-muted">{title}</span>
      </span>,
      <Badge key="state" tone={isUsable ? 'good' : 'neutral'}>
        {isUsable ? 'usable' : 'not here'}
      </Badge>,
      <span key="detail" className="text-muted">
        {detail}
      </span>,
    ],
  }));
  return (
    <Card title="Agents" isFlush>
      <SmallTable label="Known agents" columns={columns} rows={rows} />
    </Card>
  );
}

const columns = [{ header: 'Agent' }, { header: 'State', isNarrow: true }, { header: 'What is there' }];
