import { costSumText } from '../../../../domain/cost-sum.ts';
import { tokensText } from '../../../../domain/usage.ts';
import { counted, formatDuration, grouped } from '../../../../shared/format.ts';
import type { RepeatedCase } from '../../../compare/run-figures.ts';
import {
  casesText,
  costText,
  hookProblemText,
  judgedText,
  leftOutText,
  neverJudged,
  percentText,
  rangeText,
  rateText,
  timeText,
  unjudgedText,
} from '../../../presentation/figures.ts';
import { namedTitle } from '../../../presentation/trial-text.ts';
import { firstFailureText, type TracedCluster } from '../../cluster-text.ts';
import type { PageHead } from '../page-data.ts';
import { formatRoute, trialsAddress } from '../route.ts';
import { attacksSection } from './attacks-section.ts';
import { histogramChart } from './charts.ts';
import { criteriaTests } from './criteria-tests.ts';
import { badge, type Child, element, fact, remark, scrolling, section } from './elements.ts';
import type { Page } from './page.ts';
import { traceCount } from './page.ts';
import { resilienceSections } from './resilience-view.ts';
import { scenarioTable, variantMatrix } from './scenario-table.ts';
import { inSteps } from './virtual-list.ts';

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
    attacksSection(page.head),
    criteriaTests(page.head),
    repeatsSection(page.head),
    ...resilienceSections(page.head),
    scenarioTable(page),
    variantMatrix(page),
    element(
      'div',
      { class: 'columns' },
      durations.length > 0 && histogramChart('Duration of a trial', durations, formatDuration),
      costs.some((cost) => cost > 0) && histogramChart('Cost of a trial', costs, costText),
    ),
    leftOut(rows.length),
  );
}

/** A remark on traces that are not in the page, added once all details are counted. */
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
    usage && fact('Tokens', tokensText(usage)),
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
    ...head.findings.map(({ tone, text }) => remark(tone, text)),
    ...head.hookProblems.map((problem) => remark('warning', hookProblemText(problem))),
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

const shownScenarios = 5;
const shownTrials = 4;

/** Problems, the most frequent first, each with an example and a next step; nothing without problems. */
function problemList({ problems }: PageHead): HTMLElement | undefined {
  const { clusters, count } = problems;
  if (clusters.length === 0) return undefined;
  const left = count - clusters.reduce((sum, cluster) => sum + cluster.count, 0);
  return section(
    'What went wrong',
    inSteps('problems', clusters, 10, problemItem),
    left > 0 && element('p', { class: 'muted' }, `… and ${counted(left, 'trial')} with other problems`),
  );
}

function problemItem(cluster: TracedCluster): HTMLElement {
  const { outcome, title, example, count, share, nextStep } = cluster;
  const first = firstFailureText(cluster);
  return element(
    'li',
    {},
    badge(outcome),
    element(
      'div',
      { class: 'what' },
      element('a', { href: trialAddress(example.trialId) }, title),
      element('span', {}, example.reason),
      first !== undefined && element('span', { class: 'muted' }, first),
      element('span', { class: 'muted' }, `Next: ${nextStep}`),
      placesOf(cluster),
    ),
    element(
      'span',
      { class: 'number' },
      counted(count, 'trial'),
      element('br'),
      element('span', { class: 'muted' }, percentText(share)),
    ),
  );
}

/** The scenarios concerned, and further trials to look at. */
function placesOf({ scenarios, trialIds, outcome }: TracedCluster): HTMLElement {
  const links = scenarios
    .slice(0, shownScenarios)
    .map((scenario) => element('a', { href: trialsAddress({ scenario, outcome }) }, scenario || 'no name'));
  const more = scenarios.length - links.length;
  const others = trialIds
    .slice(1, shownTrials + 1)
    .map((trialId) => element('a', { href: trialAddress(trialId) }, trialId));
  return element(
    'span',
    { class: 'muted links' },
    ...links,
    more > 0 && `and ${grouped(more)} more scenarios`,
    others.length > 0 && element('span', {}, '· also'),
    ...others,
  );
}

function trialAddress(trialId: string): string {
  return formatRoute({ view: 'trial', trialId, event: null });
}

const mostCases = 50;

/** Repeats: pass@k and pass^k for every k, and the cases that did not always pass; nothing without repeats. */
function repeatsSection({ repeats, flaky, passOfK }: PageHead): HTMLElement | undefined {
  if (!repeats) return undefined;
  const { unsteady } = repeats;
  const hidden = unsteady.length - mostCases;
  return section(
    'Repeats',
    element('p', { class: 'muted' }, `${flaky}; intervals are 95 %.`),
    passOfK && chances(passOfK),
    unsteady.length > 0 &&
      scrolling(
        'Cases that did not always pass',
        tableOf(['Case', 'Passed', '95 % interval', 'Flakiness'], unsteady.slice(0, mostCases).map(caseCells)),
      ),
    hidden > 0 && element('p', { class: 'muted' }, `… and ${hidden} more that did not always pass`),
  );
}

function chances({ head, rows }: NonNullable<PageHead['passOfK']>): HTMLElement {
  if (rows.length === 0) return element('p', { class: 'muted' }, neverJudged);
  return scrolling('pass@k and pass^k', tableOf(head, rows));
}

function caseCells(one: RepeatedCase): string[] {
  const title = `${namedTitle({ ...one, repeat: 1 })}${unjudgedText(one)}`;
  return [title, `${one.passed}/${one.judged}`, rangeText(one.interval), percentText(one.flakiness)];
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): HTMLElement {
  return element(
    'table',
    { class: 'repeats' },
    element('thead', {}, element('tr', {}, ...head.map((text) => element('th', { scope: 'col' }, text)))),
    element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells.map((text) => element('td', {}, text))))),
  );
}
