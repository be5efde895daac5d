import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { useOverflow } from './scroll-box.tsx';

/** A column of a small table; figures stand at the right. */
interface SmallColumn {
  readonly header: string;
  readonly isFigure?: boolean;
  /** Takes no more room than it needs. */
  readonly isNarrow?: boolean;
}

/** A row of a small table. */
interface SmallRow {
  readonly key: string;
  readonly cells: readonly ReactNode[];
  readonly isProblem?: boolean;
}

/** A table of some rows that are all drawn; it scrolls sideways where it is too wide. */
export function SmallTable({
  label,
  columns,
  rows,
}: {
  label: string;
  columns: readonly SmallColumn[];
  rows: readonly SmallRow[];
}) {
  const [ref, isOverflowing] = useOverflow<HTMLDivElement>();
  const reachable = isOverflowing && { role: 'group', tabIndex: 0, 'aria-label': label };
  return (
    <div ref={ref} {...reachable} className="relative overflow-x-auto">
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr className="border-b border-line text-xs text-muted">
            {columns.map((column) => (
              <th key={column.header} scope="col" className={classes('font-medium', cellLook(column))}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells, isProblem }) => (
            <tr key={key} className={classes('border-b border-line last:border-b-0', isProblem && 'bg-fail-ground/40')}>
              {columns.map((column, index) => (
                <td key={column.header} className={classes('align-top', cellLook(column))}>
                  {cells[index]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cellLook({ isFigure, isNarrow }: SmallColumn): string {
  return classes(
    'px-2 py-1.5 first:pl-4 first:wrap-break-word last:pr-4',
    isFigure && 'text-right tabular-nums whitespace-nowrap',
    isNarrow && 'w-px whitespace-nowrap',
    // Long reasons beside short names would make tall rows on a phone.
    !isFigure && !isNarrow && 'min-w-28 first:min-w-36 max-sm:last:min-w-72',
  );
}

/** Labels with their values, as many beside each other as there is room for; what is null is left out. */
export function FactList({ facts }: { facts: readonly (readonly [string, ReactNode] | null)[] }) {
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]} className="min-w-0">
              <dt className="text-xs text-muted">{fact[0]}</dt>
              <dd className="tabular-nums">{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
