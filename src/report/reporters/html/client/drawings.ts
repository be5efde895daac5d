import type { Drawing } from '../../../presentation/drawing.ts';
import type { DrawnTable, WordTable } from '../variants-page.ts';
import { element, section, shape, table } from './elements.ts';

/** A table in words; where its rows have an answer, that is their last cell. */
export function drawnTable({ title, headers, rows }: WordTable): HTMLElement {
  return table(
    title,
    headers,
    rows.map(({ cells, isProblem, answer }) => ({
      isProblem,
      cells: answer ? [...cells.slice(0, -1), element('strong', { class: `answer ${answer}` }, cells.at(-1))] : cells,
    })),
  );
}

/** A picture, and the same figures as a table for those who do not see it. */
export function pictureSection({ drawing, table: data }: DrawnTable): HTMLElement {
  return section(
    data.title,
    svgOf(drawing),
    element('details', {}, element('summary', {}, 'Figures'), drawnTable(data)),
  );
}

function svgOf({ title, width, height, shapes }: Drawing): SVGElement {
  return shape(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: 'front', role: 'img', 'aria-label': title },
    ...shapes.map(([tag, attributes, text]) =>
      shape(tag, attributes, text !== undefined && (tag === 'text' ? text : shape('title', {}, text))),
    ),
  );
}
