import { observedChannels } from '../../../domain/coverage-text.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { type AttributeValues, attributesOf } from './attributes.ts';

/** How much of each channel was observed; nothing for a tool that was called directly. */
export function coverageAttributes({ coverage }: TrialRecord): AttributeValues {
  if (!coverage) return {};
  return Object.fromEntries(
    observedChannels(coverage).map(({ channel, state }) => [`assay.coverage.${channel}`, state]),
  );
}

/** Backends keep few events of a span; a trace with more losses is partial all the same. */
const mostGaps = 100;

/** Each loss as an event of the span of its trial, at its time. */
export function gapSpanEvents(trace: Trace, nano: (ms: number) => string): object[] {
  return eventsOf(trace, 'gap')
    .slice(0, mostGaps)
    .map(({ at, channels, reason, place }) => ({
      timeUnixNano: nano(at),
      name: 'assay.gap',
      attributes: attributesOf({
        'assay.gap.channels': channels,
        'assay.gap.reason': reason,
        'assay.gap.place': place,
      }),
    }));
}
