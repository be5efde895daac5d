import { firstOf, type Section, table, text } from '../../shared/blocks/block.ts';
import { counted, grouped } from '../../shared/format.ts';
import type { RepeatFigures } from '../compare/run-figures.ts';
import { flakyText, passOfKTable, percentText, rangeText } from './figures.ts';
import { trialTitle } from './trial-text.ts';

const mostCases = 20;

/** How often each case passes, and how far one trial can be relied on; one line where no case varied. */
export function repeatsSection(figures: RepeatFigures): Section {
  const { unsteady, variants, flaky } = figures;
  const title = `Repeats: ${flakyText(figures)}`;
  const { head, rows } = passOfKTable(figures);
  // A table would repeat the pass rate at every k, and the failures above.
  if (flaky === 0 && rows.length > 0) return { title, blocks: [text('pass@k and pass^k are the pass rate.', 'quiet')] };
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
  return {
    title,
    blocks: [
      rows.length > 0 ? table(head, rows) : text('pass@k and pass^k unavailable: a case was never judged'),
      table(['case', '#passed', '#95 % interval', '#flakiness'], cases),
      ...more.map((words) => text(words)),
    ],
  };
}
