import { resilienceNote } from '../../../presentation/resilience-text.ts';
import type { PageHead } from '../page-data.ts';
import { element, section, table } from './elements.ts';
import { heatMapTable } from './heat-map.ts';

/** How agents cope with faults: tools x faults as a heat map whose cells also say what they show. */
export function resilienceSections({ resilience }: Pick<PageHead, 'resilience'>): HTMLElement[] {
  return resilience.map(({ title, map, wordings, notes }) =>
    section(
      title,
      element('p', { class: 'muted' }, resilienceNote),
      heatMapTable(map),
      wordings.length > 0 &&
        table(
          'Error messages',
          ['Tool', 'Error message', 'Passed'],
          wordings.map((cells) => ({ cells })),
        ),
      ...notes.map((text) => element('p', { class: 'muted' }, text)),
    ),
  );
}
