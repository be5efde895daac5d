import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, memo, type ReactElement, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { counted } from '../../../../../src/shared/format.ts';
import { classes } from '../../../kit/classes.ts';
import { SortButton, sortState } from '../../../kit/data-table-parts.tsx';
import { Skeleton } from '../../../kit/page.tsx';
import { useOverflow } from '../../../kit/scroll-box.tsx';
import type { Sort } from '../../../kit/table-column.ts';
import { useRowKeys } from '../../../kit/use-row-keys.ts';
import { useTrialChoice } from '../trial-choice.tsx';
import { CaseCell, ColumnCell, TrialDots } from './grid-cells.tsx';
import type { GridColumn, GridLine } from './grid-columns.ts';

interface GridTableProps {
  readonly columns: readonly GridColumn[];
  readonly lines: readonly GridLine[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly onEnd: () => void;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly onRate: (line: GridLine) => void;
  readonly empty: ReactElement;
}

const linePx = 56;
const lookAhead = 30;

/** A table of any length and width: lines of one height, of which only those in sight are drawn. */
export function GridTable(props: GridTableProps) {
  const { lines, isLoading, hasMore, empty } = props;
  if (lines.length === 0)
    return isLoading ? (
      <div className="p-4">
        <Skeleton lines={8} />
      </div>
    ) : (
      empty
    );
  return (
    <>
      <VirtualGrid {...props} />
      <p className="border-t border-line px-4 py-2 text-xs text-muted sm:hidden">
        Scroll sideways for inputs, answers and figures.
      </p>
      <p role="status" className="border-t border-line px-4 py-2 text-xs text-muted empty:hidden">
        {hasMore ? `${counted(lines.length, 'line')} loaded; more follow while you scroll` : ''}
      </p>
    </>
  );
}

function VirtualGrid(props: GridTableProps) {
  const { columns, lines, isLoading, hasMore, onEnd } = props;
  const [box] = useOverflow<HTMLDivElement>();
  const body = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => linePx,
    overscan: 5,
  });
  const drawn = virtualizer.getVirtualItems();
  const last = drawn.at(-1)?.index ?? -1;
  useEffect(() => {
    if (hasMore && !isLoading && last >= lines.length - lookAhead) onEnd();
  }, [hasMore, isLoading, last, lines.length, onEnd]);
  const onKeyDown = useRowKeys(body, lines.length, (index) => virtualizer.scrollToIndex(index, { align: 'auto' }));
  return (
    <div
      ref={box}
      role="group"
      aria-label="Cases; scrolls in both directions"
      tabIndex={0}
      className="max-h-[75dvh] overflow-auto -outline-offset-2"
    >
      <div
        role="table"
        aria-label="Cases"
        aria-rowcount={hasMore ? -1 : lines.length + 1}
        aria-colcount={columns.length + 2}
        aria-busy={isLoading}
        className="min-w-full"
        style={{ '--columns': templateOf(columns, lines), width: 'max-content' } as CSSProperties}
      >
        <GridHead columns={columns} sort={props.sort} onSort={props.onSort} />
        <GridBody body={body} height={virtualizer.getTotalSize()} onKeyDown={onKeyDown}>
          {drawn.map(({ index, start }) => (
            <PlacedLine key={index} index={index} start={start} line={lines[index]} {...props} />
          ))}
        </GridBody>
      </div>
    </div>
  );
}

interface PlacedLineProps extends Pick<GridTableProps, 'columns' | 'onRate'> {
  readonly index: number;
  readonly start: number;
  readonly line: GridLine | undefined;
}

function PlacedLine({ index, start, line, columns, onRate }: PlacedLineProps) {
  const { chosen } = useTrialChoice();
  if (!line) return null;
  const isChosen = line.arm.trials.some(({ trialId }) => trialId === chosen);
  return (
    <div
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${start}px)`, height: linePx }}
      className="absolute inset-x-0 top-0"
    >
      <Line line={line} columns={columns} onRate={onRate} isChosen={isChosen} />
    </div>
  );
}

interface GridBodyProps {
  readonly body: RefObject<HTMLDivElement | null>;
  readonly height: number;
  readonly onKeyDown: ReturnType<typeof useRowKeys>;
  readonly children: ReactNode;
}

function GridBody({ body, height, onKeyDown, children }: GridBodyProps) {
  return (
    <div ref={body} role="rowgroup" onKeyDown={onKeyDown} className="relative" style={{ height }}>
      {children}
    </div>
  );
}

/** Widths in the order of the columns: texts are wide, figures narrow. */
function templateOf(columns: readonly GridColumn[], lines: readonly GridLine[]): string {
  const trials = lines.reduce((most, { arm }) => Math.max(most, arm.trials.length), 1);
  const widths = columns.map(({ key }) => {
    if (key === 'input' || key === 'expected') return 'minmax(11rem, 1fr)';
    if (key === 'answer') return 'minmax(14rem, 1.5fr)';
    return key === 'variant' || key.startsWith('v:') ? 'minmax(8rem, 0.6fr)' : '7rem';
  });
  return ['minmax(9rem, 14rem)', trials > 3 ? '9.5rem' : '6rem', ...widths].join(' ');
}

/** On a phone it would leave no room for the other columns. */
const stuck = 'sm:sticky sm:left-0 sm:z-[1]';
const lineLook = 'grid h-full grid-cols-(--columns) items-center border-b';

function GridHead({ columns, sort, onSort }: Pick<GridTableProps, 'columns' | 'sort' | 'onSort'>) {
  const heads = [
    { key: 'case', label: 'Case', sort: 'plan' },
    { key: 'trials', label: 'Trials', sort: 'passed' },
    ...columns,
  ];
  return (
    <div role="rowgroup" className="sticky top-0 z-[2] bg-surface">
      <div role="row" className={classes(lineLook, 'border-line')}>
        {heads.map((column, index) => (
          <div
            key={column.key}
            role="columnheader"
            aria-sort={sortState(column.sort, sort)}
            className={classes(
              'min-w-0 px-3 py-2 text-xs font-medium text-muted',
              index === 0 && `bg-surface ${stuck}`,
            )}
          >
            {column.sort === undefined ? (
              column.label
            ) : (
              <SortButton label={column.label} sortKey={column.sort} sort={sort} onSort={onSort} first="asc" />
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

interface LineProps extends Pick<GridTableProps, 'columns' | 'onRate'> {
  readonly line: GridLine;
  /** Whether it is shown beside the table. */
  readonly isChosen: boolean;
}

/** A table is drawn again with each step of scrolling; its lines are not. */
const Line = memo(function Line({ line, columns, onRate, isChosen }: LineProps) {
  return (
    <div
      role="presentation"
      className={classes(
        lineLook,
        line.isFirst ? 'border-line' : 'border-line/50',
        isChosen ? 'bg-accent-ground' : 'hover:bg-raised/50',
      )}
    >
      <div
        role="rowheader"
        className={classes(
          'flex h-full min-w-0 flex-col justify-center px-3',
          stuck,
          isChosen ? 'bg-accent-ground' : 'bg-surface',
        )}
      >
        <CaseCell line={line} isChosen={isChosen} />
      </div>
      <div role="cell" className="min-w-0 px-3">
        <TrialDots arm={line.arm} />
      </div>
      {columns.map((column) => (
        <div key={column.key} role="cell" className="min-w-0 px-3 text-xs">
          <ColumnCell column={column} line={line} onRate={onRate} />
        </div>
      ))}
    </div>
  );
});
