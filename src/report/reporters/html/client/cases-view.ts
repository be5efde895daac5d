import { figureText } from '../../../presentation/figures.ts';
import { formatRoute } from '../route.ts';
import { type CaseRow, caseRow, casesOf } from '../row-results.ts';
import { everything, filteredRows, type TrialFilter, type TrialRow } from '../trial-row.ts';
import { type Child, element, outcomeWord, remark, replaceChildren, scrolling } from './elements.ts';
import type { Page } from './page.ts';
import { controlsOf, countOf } from './trials-view.ts';
import { VirtualList } from './virtual-list.ts';

const rowPx = 76;
const textColumns = ['Case', 'Input', 'Expected', 'Answer', 'Trials'];
/** With more columns no row can be read. */
const mostColumns = 24;

/** The grid: a row for each case with its texts, its trials, and a column for each assertion and metric. */
export class CasesView {
  readonly element: HTMLElement;
  readonly #page: Page;
  readonly #cases: readonly (readonly TrialRow[])[];
  readonly #list: VirtualList<readonly TrialRow[]>;
  readonly #count = element('p', { class: 'count', role: 'status' });
  readonly #controls: ReturnType<typeof controlsOf>;
  #filter: TrialFilter = everything;

  constructor(page: Page, choose: (filter: TrialFilter) => void) {
    this.#page = page;
    this.#cases = casesOf(page.rows);
    this.#controls = controlsOf(page, (change) => choose({ ...this.#filter, ...change }));
    const results = new Map(page.results.map((each) => [each.trialId, each]));
    const [columns, left] = columnsOf(page);
    this.#list = new VirtualList(
      (rows) =>
        cellsOf(
          caseRow(rows, ({ trialId }) => results.get(trialId)),
          columns,
        ),
      () => rowPx,
      { list: 'rowgroup', item: 'row' },
    );
    const heads = [...textColumns, ...columns.map(({ name }) => name)];
    const head = element('div', { role: 'row', class: 'cells' }, ...heads.map((name) => cell('columnheader', name)));
    const table = element(
      'div',
      { role: 'table', 'aria-label': 'Cases', class: 'case-grid' },
      head,
      this.#list.element,
    );
    table.style.setProperty('--columns', String(columns.length));
    this.element = element(
      'div',
      { class: 'trials' },
      element('h1', { class: 'unseen' }, 'Cases'),
      element('div', { class: 'filters', role: 'search' }, ...this.#controls.fields),
      this.#count,
      !page.hasTexts && remark('note', 'Inputs and answers of later trials are left out.'),
      left > 0 && remark('note', `${left} more assertions and metrics are on the pages of the trials.`),
      scrolling('Grid of cases', table),
    );
    for (const happening of ['scroll', 'resize'])
      window.addEventListener(happening, () => requestAnimationFrame(() => this.update()), { passive: true });
  }

  /** A case is shown with all its trials where the filter lets one of them through. */
  show(filter: TrialFilter): void {
    this.#filter = filter;
    this.#controls.show(filter);
    const found = new Set(filteredRows(this.#page.rows, filter));
    const listed = this.#cases.filter((rows) => rows.some((row) => found.has(row)));
    replaceChildren(this.#count, ...countOf(listed.length, this.#cases.length, 'case', { view: 'cases', filter }));
    this.#list.show(listed);
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

interface Column {
  readonly kind: 'evaluators' | 'metrics';
  readonly name: string;
}

/** The first columns, and how many there are besides. */
function columnsOf({ results }: Page): [columns: Column[], left: number] {
  const evaluators = new Set(results.flatMap(({ verdicts }) => verdicts.map(([name]) => name)));
  const metrics = new Set(results.flatMap(({ metrics: figures }) => Object.keys(figures)));
  const all: Column[] = [
    ...[...evaluators].map((name) => ({ kind: 'evaluators', name }) as const),
    ...[...metrics].map((name) => ({ kind: 'metrics', name }) as const),
  ];
  return [all.slice(0, mostColumns), Math.max(0, all.length - mostColumns)];
}

function cellsOf(row: CaseRow, columns: readonly Column[]): HTMLElement {
  const { title, rows, example, input, expected, answer } = row;
  const texts = [input, expected, answer].map((text) => cell('cell', text ?? '–'));
  return element(
    'div',
    { class: 'cells', role: 'presentation' },
    cell('cell', trialLink(example.trialId, title)),
    ...texts,
    cell('cell', ...rows.map(dotOf)),
    ...columns.map((column) => resultCell(row, column)),
  );
}

/** One trial of the case. */
function dotOf({ trialId, outcome, repeat }: TrialRow): HTMLElement {
  const words = `Repeat ${repeat}: ${outcomeWord(outcome)}`;
  const link = trialLink(
    trialId,
    outcome === 'pass' ? '✓' : outcome === 'fail' ? '✗' : outcome === 'error' ? '!' : '–',
  );
  link.className = `dot ${outcome}`;
  link.title = words;
  link.setAttribute('aria-label', words);
  return link;
}

function resultCell({ evaluators, metrics, rows }: CaseRow, { kind, name }: Column): HTMLElement {
  if (kind === 'metrics') {
    const figure = metrics[name];
    if (!figure || figure.mean === null) return cell('cell', '–');
    const partly = figure.of < rows.length ? ` (${figure.of} of ${rows.length})` : '';
    return cell('cell', trialLink(figure.trialId, `${figureText(figure.mean)}${partly}`));
  }
  const verdicts = evaluators[name];
  if (!verdicts) return cell('cell', '–');
  const { pass, fail, error, skipped, trialId } = verdicts;
  const look = fail > 0 ? 'fail' : error > 0 ? 'error' : pass > 0 ? 'pass' : 'skipped';
  const unjudged = error > 0 ? `, ${error} not judged` : '';
  const link = trialLink(
    trialId,
    pass + fail > 0 ? `${pass}/${pass + fail}${unjudged}` : skipped > 0 ? 'skipped' : 'not judged',
  );
  link.className = look;
  return cell('cell', link);
}

function trialLink(trialId: string, text: string): HTMLAnchorElement {
  return element('a', { href: formatRoute({ view: 'trial', trialId, event: null }) }, text);
}

function cell(role: 'cell' | 'columnheader', ...children: readonly Child[]): HTMLElement {
  return element('div', { role }, ...children);
}
