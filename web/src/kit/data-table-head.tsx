import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import type { Column, Sort } from './data-table.tsx';

/** The heads of the columns; those that can be sorted by are buttons. It stays in sight while the page scrolls. */
export function TableHead<Row>({
  columns,
  sort,
  onSort,
}: {
  columns: readonly Column<Row>[];
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}) {
  return (
    <div
      role="rowgroup"
      className="sticky top-(--bar-height) z-10 rounded-t-lg border-b border-line bg-surface @max-2xl:sr-only lg:top-0"
    >
      <div role="row" className="grid grid-cols-(--columns) items-center gap-x-3 px-4 py-1.5">
        {columns.map((column) => (
          <div
            key={column.key}
            role="columnheader"
            aria-sort={sortState(column, sort)}
            className={classes('min-w-0 text-xs font-medium text-muted', column.align === 'end' && 'text-right')}
          >
            {column.sortKey !== undefined && onSort !== undefined ? (
              <SortButton column={column} sortKey={column.sortKey} sort={sort} onSort={onSort} />
            ) : (
              column.header
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

function SortButton<Row>({
  column,
  sortKey,
  sort,
  onSort,
}: {
  column: Column<Row>;
  sortKey: string;
  sort: Sort | undefined;
  onSort: (sort: Sort) => void;
}): ReactNode {
  const direction = sort?.key === sortKey ? sort.direction : null;
  const Icon = direction === null ? ChevronsUpDown : direction === 'asc' ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      onClick={() => onSort({ key: sortKey, direction: direction === 'desc' ? 'asc' : 'desc' })}
      className="inline-flex items-center gap-1 rounded hover:text-ink"
    >
      {column.header}
      <Icon size={12} aria-hidden className={direction === null ? 'opacity-50' : 'text-ink'} />
    </button>
  );
}

function sortState<Row>(column: Column<Row>, sort: Sort | undefined): 'ascending' | 'descending' | 'none' | undefined {
  if (column.sortKey === undefined) return undefined;
  if (sort?.key !== column.sortKey) return 'none';
  return sort.direction === 'asc' ? 'ascending' : 'descending';
}
