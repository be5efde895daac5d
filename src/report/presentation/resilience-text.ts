import { counted } from '../../shared/format.ts';
import type { PassRate } from '../../shared/stats/pass-rate.ts';
import type { ResilienceCell, ResilienceTable } from '../compare/resilience.ts';
import type { HeatCell, HeatMap } from './heat-map.ts';
import { variantText } from './trial-text.ts';
import { shareText } from './triggering-text.ts';

/** Words above all tables. */
export const resilienceNote =
  'Pass rates of trials in which calls of the tool were broken, beside the same cases without faults; 95 % intervals.';

/** Whose table it is. */
export function resilienceTitle({ variant }: Pick<ResilienceTable, 'variant'>): string {
  const text = variantText(variant);
  return text === '' ? 'Resilience' : `Resilience: ${text}`;
}

/** A rate with its interval and its trials. */
function rateText(rate: PassRate, unjudged = 0): string {
  const open = unjudged > 0 ? `, ${unjudged} not judged` : '';
  return rate.trials === 0
    ? `not judged${unjudged > 0 ? ` (${unjudged})` : ''}`
    : `${shareText(rate)} ${rate.passed}/${rate.trials}${open}`;
}

/** The rate of a tool under a set of faults; a dash where the set broke no call of the tool. */
function cellText(cell: ResilienceCell | undefined): string {
  return cell ? rateText(cell.rate, cell.unjudged) : '–';
}

/** A table as pages show it, in words. */
export interface ResilienceView {
  readonly title: string;
  readonly map: HeatMap;
  /** Tool, error message and pass rate. */
  readonly wordings: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

/** Tools x faults with the share that failed as the heat of each cell. */
export function resilienceView(table: Readonly<ResilienceTable>): ResilienceView {
  const title = resilienceTitle(table);
  const rows = table.rows.map(({ tool, faultFree, cells }) => ({
    name: tool,
    cells: [
      heatCell(rateText(faultFree), faultFree, 'without faults'),
      ...table.sets.map((set) => {
        const cell = cells.find((one) => one.set === set);
        return cell ? heatCell(cellText(cell), cell.rate, cell.faults.join(', ')) : null;
      }),
    ],
  }));
  return {
    title,
    map: { title, corner: 'Tool', columns: ['Without faults', ...table.sets], rows },
    wordings: wordingRows(table).slice(1),
    notes: unbrokenTexts(table),
  };
}

function heatCell(text: string, { rate }: PassRate, details: string): HeatCell {
  return { text, share: rate === null ? null : 1 - rate, details };
}

/** The table in rows of texts, its head first. */
export function resilienceRows({ sets, rows }: Pick<ResilienceTable, 'sets' | 'rows'>): string[][] {
  return [
    ['tool', 'without faults', ...sets],
    ...rows.map(({ tool, faultFree, cells }) => [
      tool,
      rateText(faultFree),
      ...sets.map((set) => cellText(cells.find((cell) => cell.set === set))),
    ]),
  ];
}

/** The same with one line for each cell, which fits a terminal. */
export function resilienceList({ sets, rows }: Pick<ResilienceTable, 'sets' | 'rows'>): string[][] {
  const lines = rows.flatMap(({ tool, faultFree, cells }) => [
    [tool, 'without faults', rateText(faultFree)],
    ...sets.flatMap((set) => {
      const cell = cells.find((one) => one.set === set);
      return cell ? [['', `${set} (${cell.faults.join(', ')})`, cellText(cell)]] : [];
    }),
  ]);
  return [['tool', 'faults', 'passed'], ...lines];
}

/** Error texts of the same fault, the best first, in rows of texts. */
export function wordingRows({ wordings }: Pick<ResilienceTable, 'wordings'>): string[][] {
  if (wordings.length === 0) return [];
  return [
    ['tool', 'error message', 'passed'],
    ...wordings.map(({ tool, message, rate, unjudged }) => [tool, message, rateText(rate, unjudged)]),
  ];
}

/** Trials that are in no cell. */
export function unbrokenTexts({ unbroken }: Pick<ResilienceTable, 'unbroken'>): string[] {
  return unbroken.map(({ set, trials }) => `${set}: no fault acted in ${counted(trials, 'trial')}; not counted`);
}
