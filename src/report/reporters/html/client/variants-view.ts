import type { VariantsPage } from '../variants-page.ts';
import { drawnTable, pictureSection } from './drawings.ts';
import { element, remark, section } from './elements.ts';

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
    element('div', { class: 'columns' }, ...page.fronts.map(pictureSection)),
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
