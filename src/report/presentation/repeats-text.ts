import { firstOf, type Section, table, text } from '../../shared/blocks/block.ts';
import { counted, grouped } from '../../shared/format.ts';
import type { RepeatFigures } from '../compare/run-figures.ts';
import { flakyText, passOfKTable, percentText, rangeText } from './figures.ts';
import { trialTitle } from './trial-text.ts';

const mostCases = 20;

/** How often each case passes, and how far one trial can be relied on. */
export function repeatsSection(figures: RepeatFigures): Section {
  const { unsteady, variants, flaky } = figures;
  const title = `Repeats: ${flakyText(figures)}`;
  const { head, rows } = passOfKTable(figures);
  const { listed, more } = firstOf(
    unsteady,
    mostCases,
    (hidden) => `${variants > 1 ? `${grouped(hidden)} more` : counted(hidden, 'more case')} that did not always pass`,
  );
  const cases = listed.map((one) => {
    const unjudged = one.unjudged > 0 ? ` (${one.unjudged} not judged)` : '';
    const name = `${trialTitle({ ...one, repeat: 1 })}${unjudged}`;
    return [name, `${one.passed}/${one.judged}`, rangeText(one.interval), percentText(one.flakiness)];
  });
  const list = [table(['case', '#passed', '#95 % interval', '#flakiness'], cases), ...more.map((words) => text(words))];
  return {
    title,
    blocks: [
      rows.length > 0 ? table(head, rows) : text('pass@k and pass^k unavailable: a case was never judged'),
      // Where none varied, those that did not pass are among the failures.
      ...(flaky > 0 || rows.length === 0 ? list : []),
    ],
  };
}
