import type { HeatCell, HeatMap } from '../../../src/report/presentation/heat-map.ts';
import { classes } from './classes.ts';
import { heatLook } from './heat-scale.tsx';
import { useOverflow } from './scroll-box.tsx';

/** A table whose cells are coloured by a share; every cell has its text, so it can be read without colours. */
export function HeatMapTable({ map: { title, corner, columns, rows } }: { map: HeatMap }) {
  const [ref, isOverflowing] = useOverflow<HTMLDivElement>();
  const reachable = isOverflowing && { role: 'group', tabIndex: 0, 'aria-label': title };
  return (
    <div ref={ref} {...reachable} className="relative overflow-x-auto">
      <table className="w-full whitespace-nowrap border-collapse text-left text-sm">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr className="border-b border-line text-xs text-muted">
            {[corner, ...columns].map((text) => (
              <th key={text} scope="col" className="px-2 py-1.5 font-medium">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr key={name} className="border-b border-line last:border-b-0">
              <th scope="row" className="px-2 py-1.5 font-normal">
                {name}
              </th>
              {columns.map((column, index) => (
                <HeatMapCell key={column} cell={cells[index] ?? null} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HeatMapCell({ cell }: { cell: HeatCell | null }) {
  if (!cell) return <td className="px-2 py-1.5" />;
  return (
    <td
      title={cell.details}
      className={classes('px-2 py-1.5 tabular-nums', cell.share !== null && heatLook(1 - cell.share))}
    >
      {cell.text}
    </td>
  );
}
