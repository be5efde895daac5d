import { useMemo } from 'react';
import type { Cell } from '../../../../src/entry/server/api/runs.ts';
import { percentText } from '../../../../src/report/presentation/figures.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { classes } from '../../kit/classes.ts';
import { HeatLegend, heatLook } from '../../kit/heat-scale.tsx';
import { Card } from '../../kit/page.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { useFirstOf } from '../../kit/small-table.tsx';
import { cellRate, type MatrixColumn, type MatrixRow, matrixOf } from './matrix.ts';
import { useRunSearch } from './result-filter.ts';
import { showTrialList } from './trial-list.tsx';

const shownAtFirst = 12;

/** How each scenario went under each variant; a cell shows only its trials in the list. */
export function VariantMatrix({ cells }: { cells: readonly Cell[] }) {
  const { columns, rows } = useMemo(() => matrixOf(cells), [cells]);
  const [visible, more] = useFirstOf(rows, shownAtFirst, 'scenario');
  const [search, change] = useRunSearch();
  const isChosen: IsChosen = (cell, column) => search.scenario === cell.scenario && search.variant === column.key;
  const choose: Choose = async (cell, column) => {
    const isGivenUp = isChosen(cell, column);
    await change(
      isGivenUp ? { scenario: undefined, variant: undefined } : { scenario: cell.scenario, variant: column.key },
    );
    if (!isGivenUp) showTrialList();
  };
  return (
    <Card title={columns.length === 1 ? 'Scenarios' : 'Scenarios by variants'} actions={<HeatLegend />} isFlush>
      <ScrollBox label="Table of scenarios" maxHeight={380} isBare>
        <table className="w-full border-separate border-spacing-0 text-sm">
          <MatrixHead columns={columns} />
          <tbody>
            {visible.map((row) => (
              <MatrixLine key={row.key} row={row} columns={columns} isChosen={isChosen} choose={choose} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {more}
    </Card>
  );
}

function MatrixHead({ columns }: { columns: readonly MatrixColumn[] }) {
  return (
    <thead>
      <tr>
        <th
          scope="col"
          className="sticky top-0 left-0 z-[2] bg-surface px-4 py-2 text-left text-xs font-medium text-muted"
        >
          Scenario
        </th>
        {columns.map((column) => (
          <th
            key={column.key}
            scope="col"
            className="sticky top-0 z-[1] min-w-28 bg-surface px-2 py-2 text-left text-xs font-medium text-muted"
          >
            {column.label}
          </th>
        ))}
      </tr>
    </thead>
  );
}

type IsChosen = (cell: Cell, column: MatrixColumn) => boolean;
type Choose = (cell: Cell, column: MatrixColumn) => Promise<void>;

interface MatrixLineProps {
  readonly row: MatrixRow;
  readonly columns: readonly MatrixColumn[];
  readonly isChosen: IsChosen;
  readonly choose: Choose;
}

function MatrixLine({ row, columns, isChosen, choose }: MatrixLineProps) {
  return (
    <tr>
      <th
        scope="row"
        className="sticky left-0 max-w-[40vw] min-w-32 border-t border-line bg-surface px-4 py-1.5 text-left font-normal"
      >
        <span className="line-clamp-2" title={row.file}>
          {row.scenario}
        </span>
      </th>
      {row.cells.map((cell, index) => {
        const column = columns[index];
        return (
          <td key={column?.key} className="border-t border-line px-1 py-1">
            {cell !== undefined && column !== undefined && (
              <MatrixCell
                cell={cell}
                label={column.label}
                isChosen={isChosen(cell, column)}
                onChoose={() => void choose(cell, column)}
              />
            )}
          </td>
        );
      })}
    </tr>
  );
}

interface MatrixCellProps {
  readonly cell: Cell;
  readonly label: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function MatrixCell({ cell, label, isChosen, onChoose }: MatrixCellProps) {
  const rate = cellRate(cell);
  const total = cell.pass + cell.fail + cell.error + cell.skipped;
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={classes(
        'flex w-full min-w-24 items-center justify-between gap-2 rounded px-2 py-1 text-left tabular-nums hover:ring-1 hover:ring-edge',
        lookOf(cell),
        isChosen && 'ring-2 ring-accent',
      )}
    >
      <span className="sr-only">
        {cell.scenario}, {label}:
      </span>
      <span className="font-medium">{rate === null ? '–' : percentText(rate)}</span>
      <span className="text-xs" title={`${cell.fail} failed, ${cell.error} could not be judged`}>
        {grouped(cell.pass)} / {grouped(total)}
      </span>
    </button>
  );
}

function lookOf(cell: Cell): string {
  const rate = cellRate(cell);
  if (rate !== null) return heatLook(rate);
  return cell.error > 0 ? 'bg-error-ground text-error' : 'bg-raised text-muted';
}
