import { percentText } from '../../../../src/report/presentation/figures.ts';
import { isRecord } from '../../../../src/shared/json.ts';
import { totalWeight } from './weights.ts';

const shades = ['bg-accent', 'bg-accent/70', 'bg-accent/45', 'bg-accent/25'];

/** How much each criterion of a rubric counts, as one bar; an empty end is the part that is missing to 1. */
export function WeightBar({ criteria }: { criteria: readonly unknown[] }) {
  const parts = criteria.flatMap((item, index) => {
    if (!isRecord(item) || typeof item.weight !== 'number' || !(item.weight > 0)) return [];
    return [{ key: String(index), name: nameOf(item, index), weight: item.weight }];
  });
  if (parts.length === 0) return null;
  const whole = Math.max(1, totalWeight(parts.map(({ weight }) => weight)));
  return (
    <figure className="mb-4 flex flex-col gap-1.5">
      <div aria-hidden className="flex h-3 gap-px overflow-hidden rounded-full bg-raised">
        {parts.map(({ key, weight }, index) => (
          <span key={key} style={{ width: `${(weight / whole) * 100}%` }} className={shades[index % shades.length]} />
        ))}
      </div>
      <figcaption>
        <ul aria-label="Weights of the criteria" className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-muted">
          {parts.map(({ key, name, weight }, index) => (
            <li key={key} className="flex min-w-0 items-center gap-1.5">
              <span aria-hidden className={`size-2 shrink-0 rounded-full ${shades[index % shades.length]}`} />
              <span className="truncate">{name}</span>
              <span className="tabular-nums">{percentText(weight / whole)}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

function nameOf({ id, description }: Readonly<Record<string, unknown>>, index: number): string {
  const name = id ?? description;
  return typeof name === 'string' && name !== '' ? name : `criterion ${index + 1}`;
}
