import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { TableHead, TableRow } from './data-table-parts.tsx';
import { Skeleton } from './page.tsx';
import type { Column, RowLink, Sort } from './table-column.ts';
import { useRowKeys } from './use-row-keys.ts';

export interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly rowLink?: (row: Row) => RowLink;
  readonly onEndReached?: () => void;
  readonly isLoading?: boolean;
  readonly hasMore?: boolean;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  readonly empty?: ReactNode;
}

/**
 * A list of any length: only the rows in sight are drawn, and the page itself scrolls. Arrow keys, `j` and `k`, Home and
 * End move between the rows' links. Where there is little room a row becomes a card.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, isLoading = false, hasMore = false, empty } = props;
  const body = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualRows(props, body);
  const template = columns.map(({ width }) => width ?? 'minmax(0, 1fr)').join(' ');
  if (rows.length === 0 && !isLoading) return <>{empty}</>;
  return (
    <>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        aria-busy={isLoading}
        className="@container min-w-0"
        style={{ '--columns': template } as React.CSSProperties}
      >
        <TableHead columns={columns} sort={props.sort} onSort={props.onSort} />
        {rows.length === 0 ? (
          <div className="p-4">
            <Skeleton lines={8} />
          </div>
        ) : (
          <VirtualRows {...props} body={body} virtualizer={virtualizer} />
        )}
      </div>
      {rows.length > 0 && hasMore && (
        <div role="status" className="h-11 px-4 py-3 text-xs text-muted">
          Loading more …
        </div>
      )}
    </>
  );
}

interface VirtualRowsProps<Row> extends DataTableProps<Row> {
  readonly body: RefObject<HTMLDivElement | null>;
  readonly virtualizer: ReturnType<typeof useVirtualRows>;
}

/** The rows in sight, each at its place. */
function VirtualRows<Row>({ columns, rows, rowLink, hasMore = false, body, virtualizer }: VirtualRowsProps<Row>) {
  const onKeyDown = useRowKeys(body, rows.length, (index) => virtualizer.scrollToIndex(index, { align: 'auto' }));
  const mainKey = (columns.find(({ isMain }) => isMain) ?? columns[0])?.key;
  const drawn = virtualizer.getVirtualItems();
  return (
    <div
      ref={body}
      // Out of sight it has no rows, and a group without rows is an error to screen readers.
      {...(drawn.length > 0 ? { role: 'rowgroup', onKeyDown } : { role: 'presentation' })}
      className="relative"
      style={{ height: virtualizer.getTotalSize() }}
    >
      {drawn.map((item) => {
        const row = rows[item.index];
        if (row === undefined) return null;
        return (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            role="row"
            data-index={item.index}
            aria-rowindex={item.index + 2}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${item.start - virtualizer.options.scrollMargin}px)` }}
          >
            <TableRow
              row={row}
              columns={columns}
              mainKey={mainKey}
              rowLink={rowLink}
              isLast={!hasMore && item.index === rows.length - 1}
            />
          </div>
        );
      })}
    </div>
  );
}

/** How many rows before the end the next page is requested. */
const lookAhead = 30;
const usualRowHeight = 45;

/** Computes which rows are in sight, and requests the next page before the last one is reached. */
function useVirtualRows<Row>(props: DataTableProps<Row>, body: RefObject<HTMLDivElement | null>) {
  const { rows, rowKey, onEndReached, isLoading = false, hasMore = false } = props;
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    if (body.current !== null) setOffset(body.current.getBoundingClientRect().top + window.scrollY);
  });
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => usualRowHeight,
    overscan: 3,
    scrollMargin: offset,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowKey(row);
    },
  });
  const lastIndex = virtualizer.getVirtualItems().at(-1)?.index ?? -1;
  useEffect(() => {
    if (hasMore && !isLoading && lastIndex >= rows.length - lookAhead) onEndReached?.();
  }, [hasMore, isLoading, lastIndex, rows.length, onEndReached]);
  return virtualizer;
}
