import { Check, X } from 'lucide-react';
import { useState } from 'react';
import type { Settings } from '../../../../src/entry/server/api/project.ts';
import { counted, grouped } from '../../../../src/shared/format.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { WithCode } from '../../kit/code.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { SearchInput } from '../../kit/field.tsx';
import { Card } from '../../kit/page.tsx';
import { SmallTable } from '../../kit/small-table.tsx';

/** The coding agents that are known, and whether each can be used here. */
export function AgentsCard({ agents }: Pick<Settings, 'agents'>) {
  const usable = agents.filter(({ isUsable }) => isUsable);
  const others = agents.filter(({ isUsable }) => !isUsable);
  return (
    <Card title="Agents" isFlush>
      {usable.length > 0 && <SmallTable label="Usable agents" columns={agentColumns} rows={usable.map(agentRow)} />}
      {usable.length === 0 && <p className="p-4 text-muted">No coding agent is installed on this machine.</p>}
      {others.length > 0 && (
        <div className="border-t border-line px-4 py-2">
          <Disclosure
            summary={<span className="text-sm">{counted(others.length, 'agent')} not usable here, and why</span>}
          >
            <SmallTable label="Agents that cannot be used" columns={agentColumns} rows={others.map(agentRow)} />
          </Disclosure>
        </div>
      )}
    </Card>
  );
}

const agentColumns = [{ header: 'Agent' }, { header: 'State', isNarrow: true }, { header: 'Details' }];

function agentRow({ id, title, isUsable, detail }: Settings['agents'][number]) {
  return {
    key: id,
    cells: [
      <span key="name">
        <span className="font-medium">{id}</span>
        <span className="block text-xs text-muted">
          <WithCode text={title} />
        </span>
      </span>,
      <Badge key="state" tone={isUsable ? 'good' : 'neutral'}>
        {isUsable ? 'usable' : 'not usable'}
      </Badge>,
      <span key="detail" className="text-muted">
        <WithCode text={detail} />
      </span>,
    ],
  };
}

const shownAtFirst = 20;

/** Model prices: those of the config first, then the built-in table. */
export function PricesCard({ prices }: Pick<Settings, 'prices'>) {
  const [text, setText] = useState('');
  const [isWhole, setIsWhole] = useState(false);
  const words = text.toLowerCase().split(/\s+/);
  const found = prices
    .filter(({ model }) => words.every((word) => model.toLowerCase().includes(word)))
    .toSorted(
      (a, b) => Number(b.source === 'config') - Number(a.source === 'config') || a.model.localeCompare(b.model),
    );
  const visible = isWhole ? found : found.slice(0, shownAtFirst);
  const rows = visible.map(({ model, inputPerMillionUsd, outputPerMillionUsd, source }) => ({
    key: `${source} ${model}`,
    cells: [
      <code key="model" className="font-mono text-xs">
        {model}
      </code>,
      priceText(inputPerMillionUsd),
      priceText(outputPerMillionUsd),
      <Badge key="source" tone={source === 'config' ? 'info' : 'neutral'}>
        {source}
      </Badge>,
    ],
  }));
  return (
    <Card title="Prices" isFlush actions={<SearchInput value={text} onChange={setText} placeholder="Search models" />}>
      {found.length === 0 ? (
        <p className="p-4 text-muted">No model matches.</p>
      ) : (
        <SmallTable label="Prices by model" columns={priceColumns} rows={rows} />
      )}
      {found.length > visible.length && (
        <div className="border-t border-line p-2 text-center">
          <Button variant="ghost" size="sm" onClick={() => setIsWhole(true)}>
            Show all {grouped(found.length)}
          </Button>
        </div>
      )}
    </Card>
  );
}

const priceColumns = [
  { header: 'Model' },
  { header: '$ per million in', isFigure: true },
  { header: '$ per million out', isFigure: true },
  { header: 'From', isNarrow: true },
];

function priceText(usd: number): string {
  return usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
}

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
      <SmallTable label="Providers and their keys" columns={providerColumns} rows={rows} />
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        Keys are read from the environment in which the server was started, and are never shown.
      </p>
    </Card>
  );
}

const providerColumns = [
  { header: 'Provider' },
  { header: 'Key', isNarrow: true },
  { header: 'From' },
  { header: 'Address' },
  { header: 'Concurrency', isFigure: true },
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
