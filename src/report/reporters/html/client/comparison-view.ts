import type { CaseList, ComparisonPage, ListedCase } from '../comparison-page.ts';
import { formatRoute } from '../route.ts';
import type { TrialRow } from '../trial-row.ts';
import { drawnTable, pictureSection } from './drawings.ts';
import { element, remark, section } from './elements.ts';
import { inSteps } from './virtual-list.ts';

/** Two sides next to each other: the answers first, then what changed. */
export function comparisonView(page: ComparisonPage, rowById: ReadonlyMap<string, TrialRow>): HTMLElement {
  return element(
    'div',
    { class: 'overview' },
    element(
      'section',
      { class: 'card summary' },
      element('h1', {}, page.summary),
      element('p', { class: 'muted' }, page.against),
      drawnTable(page.sides),
      ...page.remarks.map(({ tone, text }) => remark(tone, text)),
    ),
    page.figures.rows.length > 0 &&
      section('Answers', drawnTable(page.figures), ...(page.folded === null ? [] : [remark('note', page.folded)])),
    element('div', { class: 'columns pictures' }, ...page.pictures.map(pictureSection)),
    ...page.lists.map((list) => caseSection(list, rowById)),
    ...page.tables.map((data) => section(data.title, drawnTable(data))),
  );
}

function caseSection({ title, texts, cases }: CaseList, rowById: ReadonlyMap<string, TrialRow>): HTMLElement {
  return section(
    title,
    ...texts.map((text, index) => element('p', index === 0 ? {} : { class: 'muted' }, text)),
    inSteps('problems', cases, 30, (item) => caseItem(item, rowById)),
  );
}

function caseItem(item: ListedCase, rowById: ReadonlyMap<string, TrialRow>): HTMLElement {
  const { look, word, title, lines, quotes, tries } = item;
  const sides = [
    ['B', item.trialB],
    ['A', item.trialA],
  ] as const;
  const links = sides.flatMap(([side, trialId]) =>
    trialId !== null && rowById.has(trialId)
      ? [{ side, href: formatRoute({ view: 'trial', trialId, event: null }) }]
      : [],
  );
  const [first] = links;
  return element(
    'li',
    {},
    element('span', { class: `badge ${look}` }, word),
    element(
      'div',
      { class: 'what' },
      first ? element('a', { href: first.href }, title) : element('span', {}, title),
      ...lines.map((line) => element('span', { class: 'muted' }, line)),
      ...quotes.map(([quote, source]) => element('span', {}, element('q', {}, quote), ` (${source})`)),
      links.length > 1 &&
        element(
          'span',
          { class: 'muted links' },
          ...links
            .toReversed()
            .map(({ side, href }) =>
              element('a', { href, 'aria-label': `${title}: trial of ${side}` }, `Trial of ${side}`),
            ),
        ),
    ),
    element('span', { class: 'number' }, tries),
  );
}
