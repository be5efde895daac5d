import type { RunHeader } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';
import type { ScenarioRun, ScenarioStats } from '../api/stats.ts';
import { endedKey } from '../bounded-cache.ts';
import type { ServerContext } from '../context.ts';
import { compute } from '../work/heavy-work.ts';

const mostRuns = 20;
const runsPerPage = 100;
/** Runs without the scenario may have a name like it; beyond this the search ends. */
const mostPages = 5;

/** Figures of a scenario in its last runs that ended and ran it themselves. */
export async function scenarioStats(scenario: string, context: ServerContext): Promise<ScenarioStats> {
  const runs: ScenarioRun[] = [];
  for (const run of await runsOf(scenario, context.store)) {
    const cache = context.runCache.scenarioRuns;
    runs.unshift(await compute('scenario', { run, scenario }, [run], context, { cache, key: scenario }));
  }
  return { scenario, runs };
}

async function runsOf(scenario: string, store: Store): Promise<RunHeader[]> {
  const found: RunHeader[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages && found.length < mostRuns; page++) {
    const { items, next } = await store.readRunRows({ limit: runsPerPage, text: scenario, cursor });
    found.push(...items.map(({ run }) => run).filter((run) => isMeasured(run, scenario)));
    if (next === null) break;
    cursor = next;
  }
  return found.slice(0, mostRuns);
}

/** Imported and rescored trials were not run then, so their times say nothing about that run. */
function isMeasured(run: RunHeader, scenario: string): boolean {
  const hasScenario = run.scenarios.some(({ name }) => name === scenario);
  return hasScenario && run.request.origin === null && endedKey(run) !== undefined;
}
