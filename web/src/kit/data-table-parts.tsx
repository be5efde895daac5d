import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { classes } from './classes.ts';
import { QuickLink } from './quick-link.tsx';
import type { Column, RowLink, Sort } from './table-column.ts';

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
            aria-sort={sortState(column.sortKey, sort)}
            className={classes('min-w-0 text-xs font-medium text-muted', column.align === 'end' && 'text-right')}
          >
            {column.sortKey !== undefined && onSort !== undefined ? (
              <SortButton label={column.header} sortKey={column.sortKey} sort={sort} onSort={onSort} first="desc" />
            ) : (
              column.header
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

interface SortButtonProps {
  readonly label: ReactNode;
  readonly sortKey: string;
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort) => void;
  /** The direction of the first press. */
  readonly first: Sort['direction'];
}

/** The head of a column that a table can be sorted by. */
export function SortButton({ label, sortKey, sort, onSort, first }: SortButtonProps) {
  const direction = sort?.key === sortKey ? sort.direction : null;
  const Icon = direction === null ? ChevronsUpDown : direction === 'asc' ? ArrowUp : ArrowDown;
  const other = first === 'asc' ? 'desc' : 'asc';
  return (
    <button
      type="button"
      title={typeof label === 'string' ? `Sort by ${label}` : undefined}
      onClick={() => onSort({ key: sortKey, direction: direction === first ? other : first })}
      className="inline-flex max-w-full items-center gap-1 rounded hover:text-ink"
    >
      <span className="truncate">{label}</span>
      <Icon size={12} aria-hidden className={classes('shrink-0', direction === null ? 'opacity-50' : 'text-ink')} />
    </button>
  );
}

/** How a table says that it is sorted by a column. */
export function sortState(key: string | undefined, sort: Sort | undefined) {
  if (key === undefined) return undefined;
  if (sort?.key !== key) return 'none';
  return sort.direction === 'asc' ? 'ascending' : 'descending';
}

interface TableRowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  mainKey: string | undefined;
  rowLink: ((row: Row) => RowLink) | undefined;
  isLast: boolean;
}

/** A table is drawn again with each row that is measured and each step of scrolling; its rows are not. */
export const TableRow = memo(Cells) as typeof Cells;

/** The cells of one row. The link of the row covers it whole; what can be pressed in other cells lies above. */
function Cells<Row>({ row, columns, mainKey, rowLink, isLast }: TableRowProps<Row>) {
  const link = rowLink?.(row);
  return (
    <div
      className={classes(
        'relative flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 @2xl:grid @2xl:grid-cols-(--columns)',
        !isLast && 'border-b border-line',
        link !== undefined && 'hover:bg-raised/50 has-[[data-row-link]:focus-visible]:bg-raised/70',
      )}
    >
      {columns.map((column) => {
        const content = column.render(row);
        const isMain = column.key === mainKey;
        if (!isMain && (content === null || content === undefined))
          return <div key={column.key} role="cell" className="@max-2xl:hidden" />;
        return (
          <div
            key={column.key}
            role="cell"
            className={classes(
              'min-w-0',
              isMain && '@max-2xl:order-first @max-2xl:w-full',
              column.align === 'end' && '@2xl:text-right',
              !isMain &&
                '[&_a]:relative [&_a]:z-[1] [&_button]:relative [&_button]:z-[1] [&_label]:relative [&_label]:z-[1]',
            )}
          >
            {isMain && link !== undefined ? (
              <QuickLink
                link={link}
                data-row-link=""
                className="outline-hidden after:absolute after:inset-0 after:content-[''] focus-visible:after:rounded focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
              >
                {content}
              </QuickLink>
            ) : (
              <>
                {column.align === 'end' && <NarrowLabel header={column.header} />}
                {content}
              </>
            )}
          </div>
        );
      })}
    </div>
  );
}

/** Names a figure where the heads of the columns are out of sight; screen readers have the heads anyway. */
function NarrowLabel({ header }: { header: ReactNode }) {
  return (
    <span aria-hidden className="mr-1 text-xs text-muted @2xl:hidden">
      {header}
    </span>
  );
}
