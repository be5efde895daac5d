import type { Tries } from './pass-at-k.ts';

/** The share of tries that disagree with the majority: 0 for a case that always ends alike, 0.5 for a coin. */
export function flakiness({ tried, passed }: Tries): number {
  return tried === 0 ? 0 : Math.min(passed, tried - passed) / tried;
}
