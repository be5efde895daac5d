import { useState } from 'react';
import type { Comparison, FigureDots } from '../../../../src/report/compare/comparison.ts';
import { figureLabel, figureText } from '../../../../src/report/compare/figure-words.ts';
import { counted } from '../../../../src/shared/format.ts';
import { DotChart, type DotRow } from '../../kit/chart-dots.tsx';
import { Card } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';

/** Every value of a figure on both sides, as dots. */
export function DotsCard({ comparison: { details, metrics } }: { comparison: Comparison }) {
  const drawable = (details?.dots ?? []).filter(({ a, b }) => a !== null && b !== null);
  const [wanted, setWanted] = useState('');
  const dots = drawable.find(({ name }) => name === wanted) ?? drawable.find(isSpread) ?? drawable[0];
  if (!dots) return null;
  const { unit } = dots;
  const metric = metrics.find(({ name }) => name === dots.name);
  return (
    <Card
      title={dots.of === 'case' ? 'Every case' : 'Every trial'}
      actions={
        <Select
          label="Figure"
          value={dots.name}
          options={drawable.map(({ name }) => ({ value: name, label: figureLabel(name) }))}
          onChange={setWanted}
        />
      }
    >
      <p className="mb-2 text-xs text-muted">{sampleText(dots)}</p>
      <DotChart
        label={`${figureLabel(dots.name)} of every ${dots.of}`}
        format={(value) => figureText(value, unit)}
        rows={[rowOf('A, before', dots.a, metric?.meanA), rowOf('B, new', dots.b, metric?.meanB)].filter(
          (row) => row !== null,
        )}
      />
    </Card>
  );
}

/** Whether the dots show more than one value. */
function isSpread({ a, b }: FigureDots): boolean {
  return new Set([...(a?.values ?? []), ...(b?.values ?? [])]).size > 1;
}

function rowOf(label: string, side: FigureDots['a'], mean: number | undefined): DotRow | null {
  return side && { label, mean, ...side };
}

function sampleText({ of, a, b }: FigureDots): string {
  const [fromA, fromB] = [a?.total ?? 0, b?.total ?? 0];
  const drawn = (a?.values.length ?? 0) + (b?.values.length ?? 0);
  const sampled = drawn < fromA + fromB ? `; ${drawn} are drawn, chosen by rank, with the least and the greatest` : '';
  return `${counted(fromA, of)} of A and ${counted(fromB, of)} of B; the line is the mean${sampled}`;
}
