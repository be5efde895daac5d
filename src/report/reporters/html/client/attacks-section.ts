import { attackFigures, attackHeatMap, suitesText } from '../../../presentation/attack-text.ts';
import type { PageHead } from '../page-data.ts';
import { element, section } from './elements.ts';
import { heatMapTable } from './heat-map.ts';

/** How tasks and attacks ended, for each variant; nothing for a run that was not attacked. */
export function attacksSection({ attacks }: PageHead): HTMLElement | undefined {
  const [first] = attacks;
  if (!first) return undefined;
  const parts = attacks.flatMap((table) => [
    table.variant !== '' && element('h3', {}, table.variant),
    element('ul', {}, ...attackFigures(table).map(([name, text]) => element('li', {}, `${name}: ${text}`))),
    heatMapTable(attackHeatMap(table)),
  ]);
  return section(`Attacks of ${suitesText(first)}`, ...parts);
}
