import { variantText } from '../../domain/variant-text.ts';
import { list, type Row, type Section, table, text } from '../../shared/blocks/block.ts';
import { counted } from '../../shared/format.ts';
import type { PassRate } from '../../shared/stats/pass-rate.ts';
import type { ResilienceTable } from '../compare/resilience.ts';
import { shareText } from './figures.ts';

const note =
  'Pass rates of trials in which calls of the tool were broken, beside the same cases without faults; 95 % intervals.';

/** How an agent copes with faults: tools x faults, and texts of the same error beside each other, the best first. */
export function resilienceSection({ variant, sets, rows, wordings, unbroken }: ResilienceTable): Section {
  const who = variantText(variant);
  const kinds = sets.map((set) => {
    const found = rows.flatMap(({ cells }) => cells.find((cell) => cell.set === set)?.faults ?? []);
    return { set, faults: [...new Set(found)].join(', ') };
  });
  return {
    title: who === '' ? 'Resilience' : `Resilience: ${who}`,
    level: 3,
    blocks: [
      text(note, 'quiet'),
      table(
        ['tool', '#without faults', ...kinds.map(({ set, faults }) => `#${set} (${faults})`)],
        rows.map(({ tool, faultFree, cells }): Row => {
          const found = sets.map((set) => cells.find((cell) => cell.set === set));
          return {
            // A dash where the set broke no call of the tool.
            cells: [
              tool,
              rateText(faultFree),
              ...found.map((cell) => (cell ? rateText(cell.rate, cell.unjudged) : '–')),
            ],
            heat: [null, failedShare(faultFree), ...found.map((cell) => (cell ? failedShare(cell.rate) : null))],
          };
        }),
      ),
      table(
        ['tool', 'error message', '#passed'],
        wordings.map(({ tool, message, rate, unjudged }) => [tool, message, rateText(rate, unjudged)]),
      ),
      list(unbroken.map(({ set, trials }) => `${set}: no fault acted in ${counted(trials, 'trial')}; not counted`)),
    ],
  };
}

function failedShare({ rate }: PassRate): number | null {
  return rate === null ? null : 1 - rate;
}

/** A rate with its interval and its trials. */
function rateText(rate: PassRate, unjudged = 0): string {
  const open = unjudged > 0 ? `, ${unjudged} not judged` : '';
  return rate.trials === 0
    ? `not judged${unjudged > 0 ? ` (${unjudged})` : ''}`
    : `${shareText(rate)} ${rate.passed}/${rate.trials}${open}`;
}
