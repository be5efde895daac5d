import { formatDuration } from '../../../../shared/format.ts';
import type { PlacedRate } from '../../../compare/run-figures.ts';
import { costText, percentText, rangeText } from '../../../presentation/figures.ts';
import { groupedBy, type TrialGroup, trialGroups } from '../chart-data.ts';
import { trialsAddress } from '../route.ts';
import type { TrialRow } from '../trial-row.ts';
import { rateBar } from './charts.ts';
import { element, scrolling, section } from './elements.ts';
import type { Page } from './page.ts';

const shownAtFirst = 60;

/** The pass rate of each scenario with its interval, how long it took and what it cost. */
export function scenarioTable({ rows, head: { rates } }: Page): HTMLElement {
  const groups = trialGroups(rows, ({ scenario }) => scenario);
  const hasCost = groups.some(({ costUsd }) => costUsd !== 0);
  const rowOf = (group: TrialGroup): HTMLElement => rateRow(group, rateAt(rates, group.name, null), hasCost);
  const head = ['Scenario', 'Pass rate', 'Passed', 'Median', ...(hasCost ? ['Cost'] : [])];
  const body = element('tbody', {}, ...groups.slice(0, shownAtFirst).map(rowOf));
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
    groups.length > shownAtFirst && restButton(groups.slice(shownAtFirst), body, rowOf),
  );
}

function restButton(
  rest: readonly TrialGroup[],
  body: HTMLElement,
  rowOf: (group: TrialGroup) => HTMLElement,
): HTMLElement {
  const showRest = (): void => {
    body.append(...rest.map(rowOf));
    button.remove();
  };
  const button = element('button', { type: 'button', class: 'more', onclick: showRest }, `Show ${rest.length} more`);
  return button;
}

/** Of a scenario, or of all of them. */
function rateAt(rates: readonly PlacedRate[], scenario: string | null, variant: string | null): PlacedRate | undefined {
  return rates.find((one) => one.scenario === scenario && one.variant === variant);
}

function rateRow(group: TrialGroup, found: PlacedRate | undefined, hasCost: boolean): HTMLElement {
  const { name, unjudged, medianMs, costUsd } = group;
  const { passed, trials, rate, interval } = found ?? nothingJudged;
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

const nothingJudged = { passed: 0, trials: 0, rate: null, interval: null };
const mostScenarios = 200;

/** Scenarios against variants; nothing where there is one variant only. */
export function variantMatrix({ rows, head: { rates } }: Page): HTMLElement | undefined {
  const variants = [...groupedBy(rows, ({ variantName }) => variantName).keys()];
  if (variants.length < 2) return undefined;
  const scenarios = [...groupedBy(rows, ({ scenario }) => scenario)];
  const titles = variants.map((name) => element('th', { scope: 'col' }, name === '' ? 'none' : name));
  const body = scenarios.slice(0, mostScenarios).map(([scenario, members]) => {
    const byVariant = groupedBy(members, ({ variantName }) => variantName);
    const cells = variants.map((variant) => cell(scenario, variant, byVariant.get(variant), rates));
    return element('tr', {}, element('th', { scope: 'row' }, scenario || 'no name'), ...cells);
  });
  const all = groupedBy(rows, ({ variantName }) => variantName);
  const totals = variants.map((variant) => cell(null, variant, all.get(variant), rates));
  const table = element(
    'table',
    { class: 'matrix' },
    element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Scenario'), ...titles)),
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

function cell(
  scenario: string | null,
  variant: string,
  rows: readonly TrialRow[] | undefined,
  rates: readonly PlacedRate[],
): HTMLElement {
  if (!rows) return element('td', { class: 'empty' }, '–');
  const { passed, trials, rate } = rateAt(rates, scenario, variant) ?? nothingJudged;
  const text = rate === null ? 'not judged' : percentText(rate);
  const label = `${passed} of ${trials} judged trials passed, ${rows.length - trials} not counted`;
  const href = trialsAddress({ scenario, variant });
  return element(
    'td',
    { class: `level-${levelOf(rate)}` },
    element(
      'a',
      { href, title: label },
      text,
      element('small', {}, ` ${passed}/${trials}${rows.length > trials ? '!' : ''}`),
    ),
  );
}

/** From 0, nothing passed, to 4, everything did; apart when nothing was judged. */
function levelOf(rate: number | null): string {
  if (rate === null) return 'none';
  if (rate === 1) return '4';
  return String(Math.min(3, Math.floor(rate * 4)));
}
