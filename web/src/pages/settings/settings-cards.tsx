import { Check, X } from 'lucide-react';
import { useState } from 'react';
import type { Settings } from '../../../../src/entry/server/api/project.ts';
import { counted } from '../../../../src/shared/format.ts';
import { Badge } from '../../kit/badge.tsx';
import { Mono, WithCode } from '../../kit/code.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { SearchInput } from '../../kit/field.tsx';
import { Card } from '../../kit/page.tsx';
import { type SmallColumn, SmallTable, TableCard, useFirstOf } from '../../kit/small-table.tsx';

/** The coding agents that are known, and whether each can be used here. */
export function AgentsCard({ agents }: Pick<Settings, 'agents'>) {
  const usable = agents.filter(({ isUsable }) => isUsable);
  const others = agents.filter(({ isUsable }) => !isUsable);
  return (
    <Card title="Agents" isFlush>
      {usable.length > 0 && <SmallTable label="Usable agents" columns={agentColumns} rows={usable} />}
      {usable.length === 0 && <p className="p-4 text-muted">No coding agent is installed on this machine.</p>}
      {others.length > 0 && (
        <div className="border-t border-line px-4 py-2">
          <Disclosure
            summary={<span className="text-sm">{counted(others.length, 'agent')} not usable here, and why</span>}
          >
            <SmallTable label="Agents that cannot be used" columns={agentColumns} rows={others} />
          </Disclosure>
        </div>
      )}
    </Card>
  );
}

const agentColumns: readonly SmallColumn<Settings['agents'][number]>[] = [
  {
    header: 'Agent',
    cell: ({ id, title }) => (
      <>
        <span className="font-medium">{id}</span>
        <span className="block text-xs text-muted">
          <WithCode text={title} />
        </span>
      </>
    ),
  },
  {
    header: 'State',
    isNarrow: true,
    cell: ({ isUsable }) => <Badge tone={isUsable ? 'good' : 'neutral'}>{isUsable ? 'usable' : 'not usable'}</Badge>,
  },
  {
    header: 'Details',
    cell: ({ detail }) => (
      <span className="text-muted">
        <WithCode text={detail} />
      </span>
    ),
  },
];

const shownAtFirst = 20;

/** Model prices: those of the config first, then the built-in table. */
export function PricesCard({ prices }: Pick<Settings, 'prices'>) {
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/);
  const found = prices
    .filter(({ model }) => words.every((word) => model.toLowerCase().includes(word)))
    .toSorted(
      (a, b) => Number(b.source === 'config') - Number(a.source === 'config') || a.model.localeCompare(b.model),
    );
  const [visible, more] = useFirstOf(found, shownAtFirst);
  return (
    <Card title="Prices" isFlush actions={<SearchInput value={text} onChange={setText} placeholder="Search models" />}>
      {found.length === 0 ? (
        <p className="p-4 text-muted">No model matches.</p>
      ) : (
        <SmallTable label="Prices by model" columns={priceColumns} rows={visible} />
      )}
      {more}
    </Card>
  );
}

const priceColumns: readonly SmallColumn<Settings['prices'][number]>[] = [
  { header: 'Model', cell: ({ model }) => <Mono>{model}</Mono> },
  { header: '$ per million in', isFigure: true, cell: ({ inputPerMillionUsd: usd }) => priceText(usd) },
  { header: '$ per million out', isFigure: true, cell: ({ outputPerMillionUsd: usd }) => priceText(usd) },
  {
    header: 'From',
    isNarrow: true,
    cell: ({ source }) => <Badge tone={source === 'config' ? 'info' : 'neutral'}>{source}</Badge>,
  },
];

function priceText(usd: number): string {
  return usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
}

/** Who answers for models, and whether there is a key; never the key itself. */
export function ProvidersCard({ providers }: Pick<Settings, 'providers'>) {
  return (
    <TableCard
      title="Model providers"
      columns={[
        { header: 'Provider', cell: ({ name }) => <span className="font-medium">{name}</span> },
        { header: 'Key', isNarrow: true, cell: (provider) => <KeyState {...provider} /> },
        { header: 'From', cell: ({ keyVariable }) => <Mono>{keyVariable ?? '–'}</Mono> },
        { header: 'Address', cell: ({ baseUrl }) => <Mono>{baseUrl ?? 'that of your resource'}</Mono> },
        { header: 'Concurrency', isFigure: true, cell: ({ concurrency }) => concurrency ?? '–' },
      ]}
      rows={providers}
    >
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Keys are read from the environment in which the server was started, and are never shown.
      </p>
    </TableCard>
  );
}

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
