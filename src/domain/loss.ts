import type { Channel } from './capability.ts';
import type { UnstampedEvent } from './trace.ts';

/** Something that a reader was given and could not place, with the channels that it could have belonged to. */
export interface Loss {
  readonly channels: readonly Channel[];
  readonly reason: string;
  /** Where in the document. */
  readonly place?: string | undefined;
}

/** A loss as it stands in a trace. */
export function gapOf({ channels, reason, place }: Loss): Extract<UnstampedEvent, { type: 'gap' }> {
  return { type: 'gap', channels: [...channels], reason, ...(place !== undefined && { place }) };
}
