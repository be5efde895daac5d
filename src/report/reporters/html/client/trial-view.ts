import { formatDuration, grouped } from '../../../../shared/format.ts';
import { costText, timeText } from '../../../presentation/figures-text.ts';
import type { TrialDetail } from '../page-data.ts';
import type { TrialRow } from '../trial-row.ts';
import { type Child, element, replaceChildren } from './element.ts';
import { fileChanges } from './file-changes.ts';
import { findingSections } from './findings.ts';
import { judgeSection } from './judge-section.ts';
import type { Page } from './page.ts';
import { badge, fact, remark, section } from './parts.ts';
import { Timeline } from './timeline.ts';
import { neighbours, siblings } from './trial-neighbours.ts';

/** All that the page knows of one trial. What the row knows is there at once, the rest when it is unpacked. */
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
    page.details.read(row.ordinal).then(
      (detail) => this.#fill(detail),
      (error: unknown) => this.#tell(`The details could not be unpacked: ${String(error)}`),
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
    else this.#tell(`Only this row of the trial is in the page; \`assay show ${this.trialId}\` has all of it.`);
  }

  #fillWith(detail: TrialDetail): void {
    const { record, trace } = detail;
    const reason = this.element.querySelector('.reason');
    if (reason) reason.textContent = record.reason;
    this.#facts.append(fact('Started', timeText(record.startedAt)), ...recordFacts(detail));
    this.#timeline = trace && trace.length > 0 ? new Timeline(trace, this.trialId) : undefined;
    replaceChildren(
      this.#body,
      record.fault &&
        remark(
          'warning',
          element('strong', {}, record.fault.code),
          ` Blame: ${record.fault.blame}. ${record.fault.message} `,
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

  #tell(text: string): void {
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
    fact('Case', row.caseId),
    fact('Repeat', String(row.repeat)),
    fact('File', row.file),
    fact('Trial', element('code', {}, row.trialId)),
  ];
}

function recordFacts({ record }: TrialDetail): HTMLElement[] {
  return [
    ...(record.compositeScore === null ? [] : [fact('Composite score', record.compositeScore.toFixed(3))]),
    ...(record.artifacts === null ? [] : [fact('Artifacts', record.artifacts)]),
    ...(record.cachedFrom === null ? [] : [fact('Taken over from', element('code', {}, record.cachedFrom))]),
  ];
}
