import { percentText } from '../../../presentation/figures-text.ts';
import { type GroupRate, groupedBy, groupRate } from '../pass-rates.ts';
import { trialsAddress } from '../route.ts';
import type { TrialRow } from '../trial-row.ts';
import { element } from './element.ts';
import { scrolling, section } from './parts.ts';

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
    element('p', { class: 'muted' }, 'The pass rate by case; an exclamation mark where trials could not be judged.'),
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
