import { faultSource } from '../../../../domain/fault-source.ts';
import { formatDuration, grouped } from '../../../../shared/format.ts';
import { costText, timeText } from '../../../presentation/figures.ts';
import type { TrialDetail } from '../page-data.ts';
import { formatRoute } from '../route.ts';
import type { TrialRow } from '../trial-row.ts';
import { badge, type Child, element, fact, remark, replaceChildren, section } from './elements.ts';
import { fileChanges } from './file-changes.ts';
import { findingSections } from './findings.ts';
import { judgeSection } from './judge-section.ts';
import type { Page } from './page.ts';
import { Timeline } from './timeline.ts';

const mostSiblings = 40;

/** The trials before and after one, in the order of the list. */
function neighbours(row: TrialRow, order: readonly TrialRow[]): HTMLElement {
  const index = order.indexOf(row);
  const link = (other: TrialRow | undefined, text: string): HTMLElement =>
    other
      ? element('a', { href: addressOf(other), title: other.title }, text)
      : element('span', { class: 'muted', 'aria-hidden': 'true' }, text);
  return element(
    'nav',
    { class: 'neighbours', 'aria-label': 'Neighbouring trials' },
    link(order[index - 1], '← Previous'),
    element('span', { class: 'muted' }, `${grouped(index + 1)} of ${grouped(order.length)}`),
    link(order[index + 1], 'Next →'),
  );
}

/** Other trials of the same case: other variants and repeats. */
function siblings(page: Page, row: TrialRow): HTMLElement | undefined {
  const others = page.rows.filter(
    ({ scenario, file, caseId }) => scenario === row.scenario && file === row.file && caseId === row.caseId,
  );
  if (others.length < (row.side === 'a' ? 1 : 2)) return undefined;
  const links = others.slice(0, mostSiblings).map((other) =>
    element(
      'a',
      {
        href: addressOf(other),
        class: `sibling ${other.outcome}`,
        'aria-current': other === row ? 'true' : undefined,
      },
      `${other.variantName === '' ? '' : `${other.variantName} `}#${other.repeat}`,
    ),
  );
  const left = others.length - links.length;
  return element(
    'div',
    { class: 'siblings' },
    element('span', { class: 'muted' }, row.side === 'a' ? 'Same case in B' : 'Same case'),
    ...links,
    left > 0 && element('span', { class: 'muted' }, `and ${left} more`),
  );
}

function addressOf({ trialId }: TrialRow): string {
  return formatRoute({ view: 'trial', trialId, event: null });
}

/** One trial: the data of its row at once, the details when they are unpacked. */
export class TrialView {
  readonly trialId: string;
  readonly element: HTMLElement;
  readonly #facts: HTMLElement;
  readonly #body = element('div', { class: 'details', 'aria-busy': 'true' });
  #timeline: Timeline | undefined;
  #event: number | null;

  constructor(page: Page, row: TrialRow, order: readonly TrialRow[], event: number | null) {
    this.#event = event;
    this.trialId = row.trialId;
    this.#facts = element('dl', { class: 'facts' }, ...rowFacts(row));
    this.element = element(
      'article',
      { class: 'trial' },
      neighbours(row, order),
      element(
        'section',
        { class: 'card summary' },
        element('div', { class: 'headline' }, badge(row.outcome), element('h1', {}, row.title)),
        element('p', { class: 'reason' }, row.reason),
        this.#facts,
        siblings(page, row),
      ),
      this.#body,
    );
    page.details.read(row).then(
      (detail) => this.#fill(detail),
      (error: unknown) => this.#showNote(`The details could not be unpacked: ${String(error)}`),
    );
  }

  /** Opens an event of the trace and brings it into view. */
  showEvent(event: number | null): void {
    this.#event = event;
    if (event !== null) this.#timeline?.open(event);
  }

  /** Puts the cursor where one can search the trace. */
  focusSearch(): void {
    this.#timeline?.focusSearch();
  }

  #fill(detail: TrialDetail | undefined): void {
    if (detail) this.#fillWith(detail);
    else this.#showNote(`The page contains only this row of the trial; \`assay show ${this.trialId}\` has all of it.`);
  }

  #fillWith(detail: TrialDetail): void {
    const { record, trace } = detail;
    const reason = this.element.querySelector('.reason');
    if (reason) replaceChildren(reason, record.reason);
    this.#facts.append(fact('Started', timeText(record.startedAt)), ...recordFacts(detail));
    this.#timeline = trace && trace.length > 0 ? new Timeline(trace, this.trialId) : undefined;
    replaceChildren(
      this.#body,
      record.fault &&
        remark(
          'warning',
          element('strong', {}, record.fault.code),
          ` Source: ${faultSource(record.fault)}. ${record.fault.message} `,
          record.fault.hint,
        ),
      ...findingSections(record),
      judgeSection(record),
      trace && fileChanges(trace),
      this.#timeline?.element ?? section('Trace', element('p', { class: 'muted' }, this.#whyNoTrace(trace))),
    );
    this.#body.removeAttribute('aria-busy');
    if (this.#event !== null) this.showEvent(this.#event);
  }

  #whyNoTrace(trace: TrialDetail['trace']): string {
    if (trace) return 'Nothing was recorded.';
    return `Traces of passing trials are left out of large reports; \`assay show ${this.trialId}\` has this one.`;
  }

  #showNote(text: string): void {
    replaceChildren(this.#body, remark('note', text));
    this.#body.removeAttribute('aria-busy');
  }
}

function rowFacts(row: TrialRow): Child[] {
  return [
    fact('Duration', formatDuration(row.durationMs)),
    row.costUsd !== 0 && fact('Cost', costText(row.costUsd)),
    row.tokens && fact('Tokens', `${grouped(row.tokens.input)} in, ${grouped(row.tokens.output)} out`),
    row.variantName !== '' && fact('Variant', row.variantName),
    row.side === 'a' && fact('Side', 'A, before'),
    fact('Case', row.caseId),
    fact('Repeat', String(row.repeat)),
    fact('File', row.file),
    fact('Trial', element('code', {}, row.trialId)),
  ];
}

function recordFacts({ record, reuse, notObserved }: TrialDetail): HTMLElement[] {
  return [
    ...(record.compositeScore === null ? [] : [fact('Composite score', record.compositeScore.toFixed(3))]),
    ...(record.artifacts === null ? [] : [fact('Artifacts', record.artifacts)]),
    ...(reuse === undefined ? [] : [fact('Reused', reuse)]),
    ...notObserved.map((line) => fact('Observed', line)),
  ];
}
