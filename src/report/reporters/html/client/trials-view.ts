import { counted, formatDuration, grouped } from '../../../../shared/format.ts';
import { costText } from '../../../presentation/figures.ts';
import { outcomes } from '../page-data.ts';
import { formatRoute, type Route } from '../route.ts';
import { everything, filteredRows, type SortKey, type TrialFilter, type TrialRow } from '../trial-row.ts';
import { badge, type Child, element, outcomeWord, replaceChildren } from './elements.ts';
import type { Page } from './page.ts';
import { VirtualList } from './virtual-list.ts';

const narrow = window.matchMedia('(max-width: 759px)');

/** The list of trials with its filters; reports every change of the filter. */
export class TrialsView {
  readonly element: HTMLElement;
  readonly #page: Page;
  readonly #list = new VirtualList<TrialRow>(rowLink, () => (narrow.matches ? 88 : 52));
  readonly #count = element('p', { class: 'count', role: 'status' });
  readonly #controls: Controls;
  #filter: TrialFilter = everything;
  #rows: readonly TrialRow[] = [];

  constructor(page: Page, choose: (filter: TrialFilter) => void) {
    this.#page = page;
    this.#controls = controlsOf(page, (change) => choose({ ...this.#filter, ...change }));
    const { fields, sort } = this.#controls;
    this.element = element(
      'div',
      { class: 'trials' },
      element('h1', { class: 'unseen' }, 'Trials'),
      element('div', { class: 'filters', role: 'search' }, ...fields),
      this.#count,
      element('div', { class: 'sorting', role: 'group', 'aria-label': 'Order' }, ...sort.values()),
      this.#list.element,
    );
    for (const happening of ['scroll', 'resize'])
      window.addEventListener(happening, () => requestAnimationFrame(() => this.update()), { passive: true });
  }

  /** The trials that pass the filter, in order. */
  get rows(): readonly TrialRow[] {
    return this.#rows;
  }

  show(filter: TrialFilter): void {
    this.#filter = filter;
    this.#rows = filteredRows(this.#page.rows, filter);
    this.#controls.show(filter);
    for (const [key, button] of this.#controls.sort) {
      button.setAttribute('aria-pressed', String(key === filter.sort));
      button.dataset.order = key === filter.sort ? (filter.isDescending ? '↓' : '↑') : '';
    }
    const all = this.#page.rows.length;
    replaceChildren(this.#count, ...countOf(this.#rows.length, all, 'trial', { view: 'trials', filter }));
    this.#list.show(this.#rows);
  }

  /** After the window moved. */
  update(): void {
    if (this.element.isConnected) this.#list.update();
  }

  /** Puts the cursor where one can search. */
  focusSearch(): void {
    this.#controls.search.input.focus();
  }
}

/** How many of all are shown, and a way back to all. */
export function countOf(
  listed: number,
  all: number,
  noun: string,
  { view, filter }: Extract<Route, { readonly view: 'trials' | 'cases' }>,
): Child[] {
  const addressOf = (chosen: TrialFilter): string => formatRoute({ view, filter: chosen });
  const isFiltered = addressOf({ ...filter, sort: 'plan', isDescending: false }) !== addressOf(everything);
  return [
    listed === all ? counted(all, noun) : `${grouped(listed)} of ${counted(all, noun)}`,
    isFiltered && element('a', { href: addressOf(everything) }, 'Show all'),
  ];
}

function rowLink(row: TrialRow): HTMLElement {
  const href = formatRoute({ view: 'trial', trialId: row.trialId, event: null });
  const cost = row.costUsd === 0 ? '' : costText(row.costUsd);
  return element(
    'a',
    { href, class: 'row' },
    badge(row.outcome),
    element(
      'span',
      { class: 'what' },
      element('span', { class: 'title' }, row.title),
      element('span', { class: 'reason' }, row.reason),
    ),
    element('span', { class: 'number duration' }, formatDuration(row.durationMs)),
    element('span', { class: 'number' }, cost),
    element('span', { class: 'number' }, row.tokens ? grouped(row.tokens.input + row.tokens.output) : ''),
  );
}

type Controls = ReturnType<typeof controlsOf>;

/** The fields of a filter, and buttons for the orders. */
export function controlsOf(page: Page, change: (part: Partial<TrialFilter>) => void) {
  const namesOf = (nameOf: (row: TrialRow) => string): string[] => [...new Set(page.rows.map(nameOf))];
  const fromName = (value: string): string | null => (value === '' ? null : value.slice(1));
  const search = searchField((text) => change({ search: text }));
  const outcome = choice(
    'Outcome',
    outcomes.map((name) => [name, outcomeWord(name)]),
    (value) => change({ outcome: outcomes.find((name) => name === value) ?? null }),
  );
  const scenario = choice(
    'Scenario',
    namesOf((row) => row.scenario).map((name) => [`=${name}`, name]),
    (value) => change({ scenario: fromName(value) }),
  );
  const variant = choice(
    'Variant',
    namesOf(({ variantName }) => variantName).map((name) => [`=${name}`, name === '' ? 'none' : name]),
    (value) => change({ variant: fromName(value) }),
  );
  return {
    search,
    fields: [search.label, outcome.label, scenario.label, variant.label],
    sort: new Map((Object.keys(sortLabels) as SortKey[]).map((key) => [key, sortButton(key, change)] as const)),
    show(filter: TrialFilter): void {
      if (search.input.value !== filter.search) search.input.value = filter.search;
      outcome.select.value = filter.outcome ?? '';
      scenario.select.value = filter.scenario === null ? '' : `=${filter.scenario}`;
      variant.select.value = filter.variant === null ? '' : `=${filter.variant}`;
    },
  };
}

const sortLabels: Readonly<Record<SortKey, string>> = {
  plan: 'Plan',
  outcome: 'Outcome',
  scenario: 'Trial',
  duration: 'Duration',
  cost: 'Cost',
  tokens: 'Tokens',
};

function sortButton(sort: SortKey, change: (part: Partial<TrialFilter>) => void): HTMLButtonElement {
  const choose = (): void => change({ sort, isDescending: button.dataset.order === '↑' });
  const button = element('button', { type: 'button', class: `quiet sort-${sort}`, onclick: choose }, sortLabels[sort]);
  return button;
}

function searchField(change: (text: string) => void) {
  const input = element('input', {
    type: 'search',
    placeholder: 'Title, reason, id …',
    oninput: () => change(input.value),
  });
  return { input, label: element('label', { class: 'field wide' }, element('span', {}, 'Search'), input) };
}

function choice(name: string, values: readonly (readonly [string, string])[], change: (value: string) => void) {
  const options = values.map(([value, text]) => element('option', { value }, text));
  const select = element(
    'select',
    { onchange: () => change(select.value) },
    element('option', { value: '' }, 'all'),
    ...options,
  );
  return { select, label: element('label', { class: 'field' }, element('span', {}, name), select) };
}
