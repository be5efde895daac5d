import { gapEvents, lossesOf, observedChannels, stateWords } from '../../../../domain/coverage-text.ts';
import type { TrialRecord } from '../../../../domain/record.ts';
import type { TrialDetail } from '../page-data.ts';
import { formatRoute } from '../route.ts';
import { element, section } from './elements.ts';

const marks = { complete: '✓', partial: '◐', none: '–' } as const;
const looks = { complete: 'pass', partial: 'error', none: 'skipped' } as const;

/** How much of each channel was observed, and every loss with its place in the trace. */
export function observedSection(
  { coverage, trialId }: TrialRecord,
  trace: TrialDetail['trace'],
): HTMLElement | undefined {
  if (!coverage) return undefined;
  const events = gapEvents(trace ?? []);
  const losses = lossesOf(coverage).map(({ words, reason }) => {
    const event = events.get(reason);
    const place =
      event !== undefined &&
      element('a', { href: formatRoute({ view: 'trial', trialId, event: event + 1 }) }, `e${event + 1}`);
    return element('li', {}, element('strong', {}, words), `: ${reason} `, place);
  });
  return section(
    'What was observed',
    element('ul', { class: 'channels' }, ...observedChannels(coverage).map(channelItem)),
    losses.length > 0 && element('ul', { class: 'losses' }, ...losses),
  );
}

function channelItem({ words, state, reasons = [] }: ReturnType<typeof observedChannels>[number]): HTMLElement {
  return element(
    'li',
    {
      class: `badge ${looks[state]}`,
      title: reasons.join('\n') || undefined,
      'aria-label': `${words}: ${stateWords[state]}`,
    },
    element('span', { 'aria-hidden': 'true' }, marks[state]),
    words,
  );
}
