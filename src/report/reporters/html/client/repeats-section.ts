import type { RepeatedCase, RepeatFigures } from '../../../compare/run-figures.ts';
import { flakyText, passOfKText, rangeText, unjudgedText } from '../../../presentation/figure-words.ts';
import { percentText } from '../../../presentation/figures-text.ts';
import { trialTitle } from '../../../presentation/trial-text.ts';
import type { PageHead } from '../page-data.ts';
import { element } from './element.ts';
import { scrolling, section } from './parts.ts';

const mostShown = 50;

/** What repeats show: pass@k and pass^k for every k, and the cases that did not always pass; nothing without repeats. */
export function repeatsSection({ repeats }: PageHead): HTMLElement | undefined {
  if (!repeats) return undefined;
  const { unsteady } = repeats;
  const hidden = unsteady.length - mostShown;
  return section(
    'Repeats',
    element('p', { class: 'muted' }, `${flakyText(repeats)}; intervals are 95 %.`),
    chances(repeats),
    unsteady.length > 0 &&
      scrolling(
        'Cases that did not always pass',
        tableOf(['Case', 'Passed', '95 % interval', 'Flakiness'], unsteady.slice(0, mostShown).map(caseCells)),
      ),
    hidden > 0 && element('p', { class: 'muted' }, `… and ${hidden} more cases that did not always pass`),
  );
}

function chances({ passAtK, passHatK }: RepeatFigures): HTMLElement {
  if (passAtK.length === 0)
    return element('p', { class: 'muted' }, 'pass@k and pass^k unavailable: a case was never judged');
  const rows = passAtK.map((at, index) => {
    const hat = passHatK[index];
    return [String(at.k), passOfKText(at), hat ? passOfKText(hat) : '–'];
  });
  return scrolling('pass@k and pass^k', tableOf(['k', 'pass@k (at least one of k)', 'pass^k (all of k)'], rows));
}

function caseCells(one: RepeatedCase): string[] {
  const title = `${trialTitle({ ...one, repeat: 1 })}${unjudgedText(one)}`;
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
