import { Check, X } from 'lucide-react';
import type { Settings } from '../../../../src/entry/server/api/project.ts';
import { Badge } from '../../kit/badge.tsx';
import { Card } from '../../kit/card.tsx';
import { SmallTable } from '../../kit/small-table.tsx';

/** Who answers for models, and whether there is a key; never the key itself. */
export function ProvidersCard({ providers }: Pick<Settings, 'providers'>) {
  const rows = providers.map(({ name, keyVariable, hasKey, baseUrl, concurrency }) => ({
    key: name,
    cells: [
      <span key="name" className="font-medium">
        {name}
      </span>,
      <KeyState key="key" hasKey={hasKey} keyVariable={keyVariable} />,
      <code key="variable" className="font-mono text-xs">
        {keyVariable ?? '–'}
      </code>,
      <span key="address" className="font-mono text-xs">
        {baseUrl ?? 'its own'}
      </span>,
      concurrency ?? '–',
    ],
  }));
  return (
    <Card title="Model providers" isFlush>
      <SmallTable label="Providers and their keys" columns={columns} rows={rows} />
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Keys are read from the environment in which the server was started, and are never shown.
      </p>
    </Card>
  );
}

const columns = [
  { header: 'Provider' },
  { header: 'Key', isNarrow: true },
  { header: 'From' },
  { header: 'Address' },
  { header: 'At a time', isFigure: true },
];

function KeyState({ hasKey, keyVariable }: { hasKey: boolean; keyVariable: string | null }) {
  if (hasKey)
    return (
      <Badge tone="good" icon={<Check size={12} aria-hidden />}>
        present
      </Badge>
    );
  if (keyVariable === null) return <Badge tone="neutral">none needed</Badge>;
  return (
    <Badge tone="warn" icon={<X size={12} aria-hidden />}>
      missing
    </Badge>
  );
}
