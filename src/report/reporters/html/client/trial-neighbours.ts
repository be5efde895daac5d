import { grouped } from '../../../../shared/format.ts';
import { formatRoute } from '../route.ts';
import type { TrialRow } from '../trial-row.ts';
import { element } from './element.ts';
import type { Page } from './page.ts';

const mostSiblings = 40;

/** The trials before and after one, in the order of the list. */
export function neighbours(row: TrialRow, order: readonly TrialRow[]): HTMLElement {
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
export function siblings(page: Page, row: TrialRow): HTMLElement | undefined {
  const others = page.rows.filter(
    ({ scenario, file, caseId }) => scenario === row.scenario && file === row.file && caseId === row.caseId,
  );
  if (others.length < 2) return undefined;
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
    element('span', { class: 'muted' }, 'Same case'),
    ...links,
    left > 0 && element('span', { class: 'muted' }, `and ${left} more`),
  );
}

function addressOf({ trialId }: TrialRow): string {
  return formatRoute({ view: 'trial', trialId, event: null });
}
