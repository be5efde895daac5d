import { endedKey } from '../../../domain/ended-key.ts';
import type { ScenarioStats } from '../api/stats.ts';
import type { ServerContext } from '../context.ts';
import { compute } from '../work/heavy-work.ts';

const mostRuns = 20;

/** Figures of a scenario in its last runs that ended and ran it themselves; those of one run are read once, and kept. */
export async function scenarioStats(scenario: string, context: ServerContext): Promise<ScenarioStats> {
  const found = await context.store.listRunsOfScenario(scenario, mostRuns);
  const ended = found.filter((run) => endedKey(run) !== undefined).reverse();
  const cache = context.runCache.scenarioRuns;
  const runs = ended.map((run) => compute('scenario', { run, scenario }, [run], context, { cache, key: scenario }));
  return { scenario, runs: await Promise.all(runs) };
}
