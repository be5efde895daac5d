import type { Outcome } from '../../../domain/outcome.ts';
import { isEdited, type RunHeader } from '../../../domain/run.ts';
import type { ScenarioCounts, Store } from '../../../keep/store/store.ts';
import type { ScenarioItem } from '../api/project.ts';
import { BoundedCache, endedKey } from '../bounded-cache.ts';

type Last = NonNullable<ScenarioItem['last']>;

const mostRuns = 20;

/** How scenarios ended when they were last run: a scenario of many trials as badly as the worst of them. */
export class LastOutcomes {
  readonly #store: Store;
  /** Of runs that have ended, which do not change. */
  readonly #known = new BoundedCache<ReadonlyMap<string, Last>>(2 * mostRuns);

  constructor(store: Store) {
    this.#store = store;
  }

  /** By the names of scenarios; those that none of the newest runs had are left out. */
  async of(names: readonly string[]): Promise<ReadonlyMap<string, Last>> {
    const found = new Map<string, Last>();
    for (const run of await this.#store.listRuns(mostRuns)) {
      if (isEdited(run)) continue;
      if (names.every((name) => found.has(name))) break;
      for (const [name, last] of await this.#lastIn(run)) if (!found.has(name)) found.set(name, last);
    }
    return found;
  }

  #lastIn(run: RunHeader): Promise<ReadonlyMap<string, Last>> {
    const key = endedKey(run);
    return key === undefined ? this.#read(run) : this.#known.get(key, () => this.#read(run));
  }

  async #read({ runId }: RunHeader): Promise<ReadonlyMap<string, Last>> {
    const counts = await this.#store.countByScenario(runId);
    const found = await Promise.all(counts.map((each) => this.#worstOf(runId, each)));
    return new Map(found.flatMap((each) => (each ? [each] : [])));
  }

  async #worstOf(runId: string, counts: ScenarioCounts): Promise<readonly [string, Last] | undefined> {
    const outcome = worstOutcome(counts);
    const { items } = await this.#store.readTrialRows(runId, {
      limit: 1,
      scenario: counts.scenario,
      outcomes: [outcome],
    });
    const [trial] = items;
    return (
      trial && [
        counts.scenario,
        { runId, trialId: trial.trialId, outcome, startedAt: trial.startedAt, marks: trial.marks },
      ]
    );
  }
}

function worstOutcome({ fail, error, pass }: ScenarioCounts): Outcome {
  if (fail > 0) return 'fail';
  if (error > 0) return 'error';
  return pass > 0 ? 'pass' : 'skipped';
}
