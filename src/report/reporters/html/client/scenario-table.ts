import { formatDuration } from '../../../../shared/format.ts';
import { rangeText } from '../../../presentation/figure-words.ts';
import { costText, percentText } from '../../../presentation/figures-text.ts';
import { type RateGroup, rateGroups } from '../pass-rates.ts';
import { trialsAddress } from '../route.ts';
import type { TrialRow } from '../trial-row.ts';
import { rateBar } from './charts.ts';
import { element } from './element.ts';
import { scrolling, section } from './parts.ts';

const shownAtFirst = 60;

/** The pass rate of each scenario with its interval, how long it took and what it cost. */
export function scenarioTable(rows: readonly TrialRow[]): HTMLElement {
  const groups = rateGroups(rows, ({ scenario }) => scenario);
  const hasCost = groups.some(({ costUsd }) => costUsd !== 0);
  const head = ['Scenario', 'Pass rate', 'Passed', 'Median', ...(hasCost ? ['Cost'] : [])];
  const body = element('tbody', {}, ...groups.slice(0, shownAtFirst).map((group) => rateRow(group, hasCost)));
  const table = element(
    'table',
    { class: 'rates' },
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...head.map((text, index) => element('th', { scope: 'col', class: index > 1 ? 'number' : undefined }, text)),
      ),
    ),
    body,
  );
  return section(
    'Scenarios',
    element(
      'p',
      { class: 'muted' },
      'The bar is the pass rate: the mean over the cases of the share of judged trials that passed. The line is its 95 % interval.',
    ),
    scrolling('Scenarios', table),
    groups.length > shownAtFirst && restButton(groups.slice(shownAtFirst), body, hasCost),
  );
}

function restButton(rest: readonly RateGroup[], body: HTMLElement, hasCost: boolean): HTMLElement {
  const showRest = (): void => {
    body.append(...rest.map((group) => rateRow(group, hasCost)));
    button.remove();
  };
  const button = element('button', { type: 'button', class: 'more', onclick: showRest }, `Show ${rest.length} more`);
  return button;
}

function rateRow(group: RateGroup, hasCost: boolean): HTMLElement {
  const { name, passed, trials, error, skipped, rate, interval, medianMs, costUsd } = group;
  const unjudged = error + skipped;
  const range = rate === null || interval === null ? 'not judged' : `${percentText(rate)} (${rangeText(interval)})`;
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, element('a', { href: trialsAddress({ scenario: name }) }, name || 'no name')),
    element('td', { class: 'bar' }, rateBar(rate, interval, range)),
    element(
      'td',
      { class: 'number' },
      `${passed}/${trials}`,
      unjudged > 0 && element('span', { class: 'error' }, ` +${unjudged} not judged`),
    ),
    element('td', { class: 'number' }, formatDuration(medianMs)),
    hasCost && element('td', { class: 'number' }, costText(costUsd)),
  );
}
