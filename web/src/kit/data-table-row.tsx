import { memo } from 'react';
import { classes } from './classes.ts';
import type { Column, RowLink } from './data-table.tsx';
import { RowAnchor } from './row-anchor.tsx';

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
              <RowAnchor
                link={link}
                className="outline-hidden after:absolute after:inset-0 after:content-[''] focus-visible:after:rounded focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
              >
                {content}
              </RowAnchor>
            ) : (
              content
            )}
          </div>
        );
      })}
    </div>
  );
}
