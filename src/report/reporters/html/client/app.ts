import { counted } from '../../../../shared/format.ts';
import type { PageHead, RowPage } from '../page-data.ts';
import { formatRoute, parseRoute, type Route, trialsAddress } from '../route.ts';
import { unpackResults } from '../row-results.ts';
import { type TrialFilter, unpackRows } from '../trial-row.ts';
import { CasesView } from './cases-view.ts';
import { comparisonView } from './comparison-view.ts';
import { element, remark, replaceChildren } from './elements.ts';
import { overview } from './overview.ts';
import { type Page, TrialDetails } from './page.ts';
import { themeSwitch } from './theme.ts';
import { TrialView } from './trial-view.ts';
import { TrialsView } from './trials-view.ts';
import { variantsView } from './variants-view.ts';

/** The page as a whole: a bar with the views, and the view that the address names. */
export class App {
  readonly #page: Page;
  readonly #main = element('main', { id: 'content', tabindex: '-1' });
  readonly #tabs: ReadonlyMap<Route['view'], HTMLElement>;
  readonly #trials: TrialsView;
  #cases: CasesView | undefined;
  readonly #scrolledTo = new Map<string, number>();
  #address = '';
  #trial: TrialView | undefined;

  constructor(page: Page) {
    this.#page = page;
    this.#trials = new TrialsView(page, (filter) => this.#refine('trials', filter));
    const tab = (view: Route['view'], href: string, text: string) => [view, element('a', { href }, text)] as const;
    this.#tabs = new Map([
      tab('overview', '#/', 'Overview'),
      ...(page.results.length > 0 ? [tab('cases', '#/cases', 'Cases')] : []),
      tab('trials', trialsAddress({}), counted(page.rows.length, 'trial')),
      ...(page.head.variants ? [tab('variants', '#/variants', 'Variants')] : []),
      ...(page.head.comparison ? [tab('comparison', '#/comparison', 'Comparison')] : []),
    ]);
  }

  start(): void {
    const app = document.getElementById('app');
    if (!app) return;
    const name = element('a', { href: '#/', class: 'name' }, 'Assay', element('span', {}, this.#page.head.runId));
    const tabs = element('nav', { 'aria-label': 'Views' }, ...this.#tabs.values());
    const skip = element(
      'a',
      { href: '#content', class: 'skip', onclick: (event) => this.#skip(event) },
      'Skip to content',
    );
    replaceChildren(app, skip, element('header', { class: 'bar' }, name, tabs, themeSwitch()), this.#main);
    history.scrollRestoration = 'manual';
    window.addEventListener('hashchange', () => this.#show(true));
    window.addEventListener('scroll', () => this.#scrolledTo.set(this.#address, window.scrollY), { passive: true });
    document.addEventListener('keydown', (event) => this.#shortcut(event));
    this.#show(false);
  }

  #show(isMoved: boolean): void {
    const route = this.#route();
    const isSameTrial =
      route.view === 'trial' && this.#trial?.trialId === route.trialId && this.#trial.element.isConnected;
    this.#address = location.hash;
    for (const [view, tab] of this.#tabs) {
      const isCurrent = view === route.view || (view === 'trials' && route.view === 'trial');
      if (isCurrent) tab.setAttribute('aria-current', 'page');
      else tab.removeAttribute('aria-current');
    }
    if (route.view === 'trial' && isSameTrial) this.#trial?.showEvent(route.event);
    else this.#replaceView(route, isMoved);
  }

  /** An address that names nothing is the view that the page was made for. */
  #route(): Route {
    const { firstView } = this.#page.head;
    return location.hash === '' ? { view: firstView } : parseRoute(location.hash);
  }

  #replaceView(route: Route, isMoved: boolean): void {
    this.#trial = undefined;
    replaceChildren(this.#main, this.#viewOf(route));
    const list = route.view === 'trials' ? this.#trials : route.view === 'cases' ? this.#cases : undefined;
    if (route.view === 'trials' || route.view === 'cases') list?.show(route.filter);
    if (isMoved) this.#main.focus({ preventScroll: true });
    window.scrollTo(0, this.#scrolledTo.get(this.#address) ?? 0);
    list?.update();
  }

  #viewOf(route: Route): HTMLElement {
    const { head, rowById, rows, rowsOfA } = this.#page;
    if (route.view === 'trials') return this.#trials.element;
    if (route.view === 'cases') {
      this.#cases ??= new CasesView(this.#page, (filter) => this.#refine('cases', filter));
      return this.#cases.element;
    }
    if (route.view === 'comparison' && head.comparison) return comparisonView(head.comparison, rowById);
    if (route.view === 'variants' && head.variants) return variantsView(head.variants);
    if (route.view !== 'trial') return overview(this.#page);
    const row = rowById.get(route.trialId);
    if (!row) return remark('warning', `There is no trial ${route.trialId} in this report.`);
    const order = row.side === 'a' ? rowsOfA : this.#trials.rows.includes(row) ? this.#trials.rows : rows;
    this.#trial = new TrialView(this.#page, row, order, route.event);
    return this.#trial.element;
  }

  /** Another filter is another address, but typing a word must not leave an address for each letter. */
  #refine(view: 'trials' | 'cases', filter: TrialFilter): void {
    this.#address = formatRoute({ view, filter });
    history.replaceState(null, '', this.#address);
    (view === 'trials' ? this.#trials : this.#cases)?.show(filter);
  }

  #skip(event: Event): void {
    event.preventDefault();
    this.#main.focus();
  }

  #shortcut(event: KeyboardEvent): void {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') {
      event.preventDefault();
      this.#focusSearch();
    }
  }

  /** Searches the trace where one is open, else the list of trials. */
  #focusSearch(): void {
    if (this.#trial) {
      this.#trial.focusSearch();
      return;
    }
    if (this.#route().view === 'cases') {
      this.#cases?.focusSearch();
      return;
    }
    if (this.#route().view !== 'trials') {
      history.pushState(null, '', trialsAddress({}));
      this.#show(true);
    }
    this.#trials.focusSearch();
  }
}

/** Reads the page up to here; details that come later are found on demand. */
export function readPage(): Page {
  const head = dataOf('data-head')[0] as PageHead;
  const pages = dataOf('data-rows') as RowPage[];
  const all = pages.flatMap(unpackRows);
  const own = pages.filter(({ side }) => side === '');
  return {
    head,
    rows: all.filter(({ side }) => side === ''),
    rowsOfA: all.filter(({ side }) => side === 'a'),
    results: own.flatMap(unpackResults),
    hasTexts: own.every(({ hasTexts }) => hasTexts),
    rowById: new Map(all.map((row) => [row.trialId, row])),
    details: new TrialDetails(),
  };
}

function dataOf(name: string): unknown[] {
  return [...document.querySelectorAll(`script.${name}`)].map((script) => JSON.parse(script.textContent ?? ''));
}
