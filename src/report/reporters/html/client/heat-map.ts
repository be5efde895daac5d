import { type HeatCell, type HeatMap, shadeOf } from '../../../presentation/heat-map.ts';
import { element, scrolling } from './elements.ts';

/** A heat map as a table: every cell has its text, so it can be read without colours. */
export function heatMapTable({ title, corner, columns, rows }: HeatMap): HTMLElement {
  const head = [corner, ...columns].map((text) => element('th', { scope: 'col' }, text));
  const body = rows.map(({ name, cells }) =>
    element('tr', {}, element('th', { scope: 'row' }, name), ...cells.map((cell) => heatCell(cell))),
  );
  return scrolling(
    title,
    element(
      'table',
      { class: 'heat-map' },
      element('thead', {}, element('tr', {}, ...head)),
      element('tbody', {}, ...body),
    ),
  );
}

function heatCell(cell: HeatCell | null): HTMLElement {
  if (!cell) return element('td', {});
  const shade = shadeOf(cell);
  return element(
    'td',
    { class: shade === undefined ? 'heat-unknown' : `heat-${shade}`, title: cell.details },
    cell.text,
  );
}
