import type { PageHead } from '../page-data.ts';
import { element, section } from './elements.ts';
import { heatMapTable } from './heat-map.ts';

/** How tasks and attacks ended, for each variant; nothing for a run that was not attacked. */
export function attacksSection({ attacks }: PageHead): HTMLElement | undefined {
  const [first] = attacks;
  if (!first) return undefined;
  const parts = attacks.flatMap(({ variant, figures, map }) => [
    variant !== '' && element('h3', {}, variant),
    element('ul', {}, ...figures.map(({ name, text }) => element('li', {}, `${name}: ${text}`))),
    heatMapTable(map),
  ]);
  return section(`Attacks of ${first.suites}`, ...parts);
}
