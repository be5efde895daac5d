import { costSumText } from '../../../../domain/spend.ts';
import { counted, formatDuration, grouped } from '../../../../shared/format.ts';
import { casesText, judgedText, leftOutText, rateText } from '../../../presentation/figure-words.ts';
import { costText, percentText, timeText } from '../../../presentation/figures-text.ts';
import { trialsAddress } from '../route.ts';
import { histogramChart } from './charts.ts';
import { type Child, element } from './element.ts';
import type { Page } from './page.ts';
import { badge, fact, remark } from './parts.ts';
import { problemList } from './problem-list.ts';
import { repeatsSection } from './repeats-section.ts';
import { scenarioTable } from './scenario-table.ts';
import { traceCount } from './trial-details.ts';
import { variantMatrix } from './variant-matrix.ts';

/** The run on one page: how it ended, what went wrong, and the figures behind it. */
export function overview(page: Page): HTMLElement {
  const { rows } = page;
  if (rows.length === 0)
    return element('div', { class: 'overview' }, summary(page), remark('note', 'No trial of this run is stored.'));
  const costs = rows.flatMap(({ costUsd }) => costUsd ?? []);
  const durations = rows.flatMap(({ durationMs }) => durationMs ?? []);
  return element(
    'div',
    { class: 'overview' },
    summary(page),
    problemList(page.head),
    repeatsSection(page.head),
    scenarioTable(rows),
    variantMatrix(rows),
    element(
      'div',
      { class: 'columns' },
      durations.length > 0 && histogramChart('Duration of a trial', durations, formatDuration),
      costs.some((cost) => cost > 0) && histogramChart('Cost of a trial', costs, costText),
    ),
    leftOut(rows.length),
  );
}

/** Tells of traces that are not in the page, as soon as that is known. */
function leftOut(trials: number): HTMLElement {
  const place = element('div', { role: 'status' });
  traceCount().then((traces) => {
    if (traces === trials) return;
    const count = counted(trials - traces, 'passing trial');
    place.append(
      remark('note', `The traces of ${count} are left out to keep this file small: assay show <trial> has them.`),
    );
  });
  return place;
}

function summary({ head }: Page): HTMLElement {
  const { totals, usage } = head;
  const facts = [
    fact('Pass rate', ...rateParts(head)),
    fact('Trials', ...countLinks(totals)),
    fact('Duration', formatDuration(head.durationMs)),
    head.costUsd !== 0 && fact('Cost', costSumText(head.cost, costText)),
    usage && fact('Tokens', `${grouped(usage.inputTokens)} in, ${grouped(usage.outputTokens)} out`),
    fact('Started', timeText(head.startedAt)),
  ];
  return element(
    'section',
    { class: 'card summary' },
    element('div', { class: 'headline' }, badge(head.outcome), element('h1', {}, head.reason)),
    element('dl', { class: 'facts' }, ...facts),
    head.notJudged > 0 &&
      remark('warning', `${counted(head.notJudged, 'trial')} passed although an assertion was not judged.`),
    head.origin !== null && remark('note', `Nothing was run: ${head.origin}.`),
    head.status !== 'finished' && remark('warning', statusText(head.status)),
    head.fileFaults > 0 &&
      remark('warning', `${counted(head.fileFaults, 'trial')} could not be judged because a file is wrong.`),
  );
}

function rateParts(head: Page['head']): Child[] {
  const { rate } = head.passRate;
  const leftOut = leftOutText(head);
  const percent = rate === null ? 'nothing was judged' : percentText(rate);
  const details = [
    ...(rate === null ? [] : [judgedText(head.passRate), casesText(head)]),
    ...(leftOut === '' ? [] : [`not counted: ${leftOut}`]),
  ];
  return [
    element('strong', {}, percent),
    rate !== null && element('span', { class: 'muted' }, rateText(head.passRate).slice(percent.length)),
    ...details.map((text) => element('div', { class: 'muted' }, text)),
  ];
}

function countLinks(totals: Page['head']['totals']): Child[] {
  const parts = [
    ['pass', 'passed'],
    ['fail', 'failed'],
    ['error', 'could not be judged'],
  ] as const;
  const links = parts.map(([outcome, word]) =>
    element('a', { href: trialsAddress({ outcome }), class: outcome }, `${grouped(totals[outcome])} ${word}`),
  );
  const unrun = totals.skipped > 0 && element('span', {}, `${grouped(totals.skipped)} did not run`);
  return [element('span', { class: 'counts' }, ...links, unrun)];
}

function statusText(status: Page['head']['status']): string {
  return status === 'interrupted' ? 'The run was interrupted.' : 'The run had not finished when this page was written.';
}
