import type { FrontPicture } from '../../../presentation/front-picture.ts';
import type { VariantsPage, WordTable } from '../variants-page.ts';
import { element, remark, section, shape, table } from './elements.ts';

/** All variants of the run: which is the best, what each takes, and every figure. */
export function variantsView({ summary, reference, overview, ...page }: VariantsPage): HTMLElement {
  return element(
    'div',
    { class: 'overview' },
    element(
      'section',
      { class: 'card summary' },
      element('h1', {}, summary),
      element('p', { class: 'muted' }, reference),
      drawnTable(overview),
      ...page.warnings.map((warning) => remark('warning', warning)),
      ...page.notes.map((note) => remark('note', note)),
    ),
    page.ranking && rankingSection(page.ranking),
    element(
      'div',
      { class: 'columns' },
      ...page.fronts.map(({ picture, table: data }) => section(data.title, drawingOf(picture), drawnTable(data))),
    ),
    ...page.figures.map((figure) => section(figure.title, drawnTable(figure))),
  );
}

function rankingSection({ summary, table: ranks, pairs, notes }: NonNullable<VariantsPage['ranking']>): HTMLElement {
  return section(
    ranks.title,
    element('p', {}, summary),
    ranks.rows.length > 0 && drawnTable(ranks),
    element('ul', {}, ...pairs.map((text) => element('li', {}, text))),
    ...notes.map((text) => element('p', { class: 'muted' }, text)),
  );
}

function drawnTable({ title, headers, rows }: WordTable): HTMLElement {
  return table(title, headers, rows);
}

function drawingOf({ title, width, height, xTicks, yTicks, points, line }: FrontPicture): SVGElement {
  const [left, bottom] = [56, height - 36];
  return shape(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: 'front', role: 'img', 'aria-label': title },
    ...yTicks.flatMap(({ at, text }) => [
      shape('line', { x1: left, x2: width - 24, y1: at, y2: at, class: 'grid' }),
      shape('text', { x: left - 6, y: at + 4, 'text-anchor': 'end' }, text),
    ]),
    ...xTicks.map(({ at, text }) => shape('text', { x: at, y: bottom + 18, 'text-anchor': 'middle' }, text)),
    shape('polyline', { points: line.join(' '), class: 'steps' }),
    ...points.map(({ x, y, left: from, right, top, bottom: to, isOnFront, text, label }) =>
      shape(
        'g',
        { class: isOnFront ? 'point on-front' : 'point' },
        shape('title', {}, text),
        shape('line', { x1: from, x2: right, y1: y, y2: y }),
        shape('line', { x1: x, x2: x, y1: top, y2: to }),
        shape('circle', { cx: x, cy: y, r: 5 }),
        shape('text', { x: x + 8, y: y - 8 }, label),
      ),
    ),
  );
}
