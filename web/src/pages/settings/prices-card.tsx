import { useState } from 'react';
import type { Settings } from '../../../../src/entry/server/api/project.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { SearchInput } from '../../kit/field.tsx';
import { SmallTable } from '../../kit/small-table.tsx';

const shownAtFirst = 20;

/** What models cost, by the table that comes along and by the config, whose prices stand first. */
export function PricesCard({ prices }: Pick<Settings, 'prices'>) {
  const [text, setText] = useState('');
  const [isWhole, setIsWhole] = useState(false);
  const words = text.toLowerCase().split(/\s+/);
  const found = prices
    .filter(({ model }) => words.every((word) => model.toLowerCase().includes(word)))
    .toSorted(
      (a, b) => Number(b.source === 'config') - Number(a.source === 'config') || a.model.localeCompare(b.model),
    );
  const shown = isWhole ? found : found.slice(0, shownAtFirst);
  const rows = shown.map(({ model, inputPerMillionUsd, outputPerMillionUsd, source }) => ({
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
        <p className="p-4 text-muted">No model is called that.</p>
      ) : (
        <SmallTable label="Prices by model" columns={columns} rows={rows} />
      )}
      {found.length > shown.length && (
        <div className="border-t border-line p-2 text-center">
          <Button variant="ghost" size="sm" onClick={() => setIsWhole(true)}>
            Show all {grouped(found.length)}
          </Button>
        </div>
      )}
    </Card>
  );
}

const columns = [
  { header: 'Model' },
  { header: '$ per million in', isFigure: true },
  { header: '$ per million out', isFigure: true },
  { header: 'From', isNarrow: true },
];

function priceText(usd: number): string {
  return usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
}
