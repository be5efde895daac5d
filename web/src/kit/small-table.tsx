import { type ReactNode, useState } from 'react';
import { counted, grouped } from '../../../src/shared/format.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { Card } from './page.tsx';
import { useOverflow } from './scroll-box.tsx';

/** A column of a small table; figures stand at the right. */
export interface SmallColumn<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isFigure?: boolean | undefined;
  /** Takes no more room than it needs. */
  readonly isNarrow?: boolean;
}

export interface SmallTableProps<Row> {
  readonly label: string;
  readonly columns: readonly SmallColumn<Row>[];
  readonly rows: readonly Row[];
  readonly isProblem?: (row: Row) => boolean;
}

/** A table of some rows that are all drawn; it scrolls sideways where it is too wide. */
export function SmallTable<Row>({ label, columns, rows, isProblem }: SmallTableProps<Row>) {
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
          {rows.map((row, index) => (
            <tr
              // All rows are drawn at once, and none moves.
              key={`${index + 1}`}
              className={classes('border-b border-line last:border-b-0', isProblem?.(row) && 'bg-fail-ground/40')}
            >
              {columns.map((column) => (
                <td key={column.header} className={classes('align-top', cellLook(column))}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const shownAtFirst = 12;

/** A card with one table to its edges. Of a long one the first rows are shown, and a button for the rest. */
export function TableCard<Row>({
  title,
  actions,
  children,
  rows,
  ...table
}: Omit<SmallTableProps<Row>, 'label'> & { title: string; actions?: ReactNode; children?: ReactNode }) {
  const [visible, more] = useFirstOf(rows, shownAtFirst);
  return (
    <Card title={title} actions={actions} isFlush>
      <SmallTable label={title} rows={visible} {...table} />
      {more}
      {children}
    </Card>
  );
}

/** The first items of a list, and a button that shows all of them. */
export function useFirstOf<Item>(items: readonly Item[], count: number, noun = '') {
  const [isWhole, setIsWhole] = useState(false);
  if (isWhole || items.length <= count) return [items, null] as const;
  const more = (
    <div className="border-t border-line px-4 py-2">
      <Button size="sm" variant="ghost" onClick={() => setIsWhole(true)}>
        Show all {noun === '' ? grouped(items.length) : counted(items.length, noun)}
      </Button>
    </div>
  );
  return [items.slice(0, count), more] as const;
}

/** The first items of a list, at least those up to a chosen one, and a button that shows some more. */
export function useSteps<Item>(items: readonly Item[], step: number, noun: string, atLeast = 0) {
  const [wanted, setWanted] = useState(step);
  const count = Math.max(wanted, atLeast);
  const rest = items.length - count;
  const more = rest > 0 && (
    <Button size="sm" onClick={() => setWanted(count + step)}>
      Show {Math.min(step, rest)} more {noun}
    </Button>
  );
  return [items.slice(0, count), more] as const;
}

/** Columns of figures, each with a text for a row. */
export function figureColumns<Row>(headers: readonly string[], cells: (row: Row) => readonly ReactNode[]) {
  return headers.map(
    (header, index): SmallColumn<Row> => ({ header, isFigure: true, cell: (row) => cells(row)[index] }),
  );
}

function cellLook<Row>({ isFigure, isNarrow }: SmallColumn<Row>): string {
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
