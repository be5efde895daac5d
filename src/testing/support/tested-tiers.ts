import type { IsolationTier } from '../../domain/isolation-tier.ts';
import { IsolationProbes } from '../../drive/workspace/find-isolation.ts';
import { repeatsInFull } from './repetitions.ts';

/**
 * The tiers of isolation to test on this machine, the strongest first: `npm test` takes that one alone, as each costs
 * as much as the others. A suite that uses this belongs into `repeatedSuites` of vitest.config.ts.
 */
export async function testedTiers(): Promise<IsolationTier[]> {
  const probes = new IsolationProbes();
  const working: IsolationTier[] = [];
  for (const tier of ['bubblewrap', 'process', 'none'] as const) {
    if ('isolation' in (await probes.probe(tier))) working.push(tier);
  }
  return repeatsInFull ? working : working.slice(0, 1);
}
