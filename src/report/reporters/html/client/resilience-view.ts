import type { ResilienceTable } from '../../../compare/resilience.ts';
import {
  cellText,
  cellTone,
  rateText,
  resilienceNote,
  resilienceTitle,
  unbrokenTexts,
  wordingRows,
} from '../../../presentation/resilience-text.ts';
import type { PageHead } from '../page-data.ts';
import { element, scrolling, section } from './elements.ts';

/** How agents cope with faults: tools x faults as a heat map whose cells also say what they show. */
export function resilienceSections({ resilience }: Pick<PageHead, 'resilience'>): HTMLElement[] {
  return (resilience ?? []).map((table) =>
    section(
      resilienceTitle(table),
      element('p', { class: 'muted' }, resilienceNote),
      scrolling(resilienceTitle(table), heatMap(table)),
      table.wordings.length > 0 && scrolling('Error messages', wordingTable(table)),
      ...unbrokenTexts(table).map((text) => element('p', { class: 'muted' }, text)),
    ),
  );
}

function heatMap({ sets, rows }: ResilienceTable): HTMLElement {
  const lines = rows.map(({ tool, faultFree, cells }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, tool),
      element('td', { class: `heat ${cellTone(faultFree)}` }, rateText(faultFree)),
      ...sets.map((set) => {
        const cell = cells.find((one) => one.set === set);
        return element('td', { class: `heat ${cellTone(cell?.rate)}` }, cellText(cell));
      }),
    ),
  );
  return tableOf(['Tool', 'Without faults', ...sets], lines);
}

function wordingTable(table: ResilienceTable): HTMLElement {
  const [, ...rows] = wordingRows(table);
  const lines = rows.map((cells) => element('tr', {}, ...cells.map((text) => element('td', {}, text))));
  return tableOf(['Tool', 'Error message', 'Passed'], lines);
}

function tableOf(head: readonly string[], lines: readonly HTMLElement[]): HTMLElement {
  return element(
    'table',
    { class: 'repeats' },
    element('thead', {}, element('tr', {}, ...head.map((text) => element('th', { scope: 'col' }, text)))),
    element('tbody', {}, ...lines),
  );
}
