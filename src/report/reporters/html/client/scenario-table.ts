import { formatDuration } from '../../../../shared/format.ts';
import { costText, percentText, rangeText } from '../../../presentation/figures.ts';
import { type GroupRate, groupedBy, groupRate, type RateGroup, rateGroups } from '../chart-data.ts';
import { trialsAddress } from '../route.ts';
import type { TrialRow } from '../trial-row.ts';
import { rateBar } from './charts.ts';
import { element, scrolling, section } from './elements.ts';

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
    element('p', { class: 'muted' }, 'Bar: mean pass rate of the cases. Line: 95 % interval.'),
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

const mostScenarios = 200;

/** Scenarios against variants; nothing where there is one variant only. */
export function variantMatrix(rows: readonly TrialRow[]): HTMLElement | undefined {
  const variants = [...groupedBy(rows, ({ variantName }) => variantName).keys()];
  if (variants.length < 2) return undefined;
  const scenarios = [...groupedBy(rows, ({ scenario }) => scenario)];
  const head = variants.map((name) => element('th', { scope: 'col' }, name === '' ? 'none' : name));
  const body = scenarios.slice(0, mostScenarios).map(([scenario, members]) => {
    const byVariant = groupedBy(members, ({ variantName }) => variantName);
    const cells = variants.map((variant) => cell(scenario, variant, byVariant.get(variant)));
    return element('tr', {}, element('th', { scope: 'row' }, scenario || 'no name'), ...cells);
  });
  const all = groupedBy(rows, ({ variantName }) => variantName);
  const totals = variants.map((variant) => cell(null, variant, all.get(variant)));
  const table = element(
    'table',
    { class: 'matrix' },
    element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Scenario'), ...head)),
    element('tbody', {}, ...body),
    element('tfoot', {}, element('tr', {}, element('th', { scope: 'row' }, 'All'), ...totals)),
  );
  const left = scenarios.length - mostScenarios;
  return section(
    'Variants',
    element('p', { class: 'muted' }, 'Pass rate by case; ! where trials could not be judged.'),
    scrolling('Scenarios against variants', table),
    left > 0 && element('p', { class: 'muted' }, `${left} more scenarios are not in this table.`),
  );
}

function cell(scenario: string | null, variant: string, rows: readonly TrialRow[] | undefined): HTMLElement {
  if (!rows) return element('td', { class: 'empty' }, '–');
  const group = groupRate(rows);
  const { passed, trials, rate } = group;
  const text = rate === null ? 'not judged' : percentText(rate);
  const label = `${passed} of ${trials} judged trials passed, ${rows.length - trials} not counted`;
  const href = trialsAddress({ scenario, variant });
  return element(
    'td',
    { class: `level-${levelOf(group)}` },
    element(
      'a',
      { href, title: label },
      text,
      element('small', {}, ` ${passed}/${trials}${rows.length > trials ? '!' : ''}`),
    ),
  );
}

/** From 0, nothing passed, to 4, everything did; apart when nothing was judged. */
function levelOf({ rate }: GroupRate): string {
  if (rate === null) return 'none';
  if (rate === 1) return '4';
  return String(Math.min(3, Math.floor(rate * 4)));
}
