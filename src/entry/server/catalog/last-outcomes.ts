import type { Outcome } from '../../../domain/outcome.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { ScenarioCounts, Store } from '../../../keep/store/store.ts';
import type { ScenarioItem } from '../api/project.ts';
import { NewestRuns } from './newest-runs.ts';

type Last = NonNullable<ScenarioItem['last']>;

/** How scenarios ended when they were last run: a scenario of many trials as badly as the worst of them. */
export class LastOutcomes {
  readonly #store: Store;
  readonly #runs: NewestRuns<ReadonlyMap<string, Last>>;

  constructor(store: Store) {
    this.#store = store;
    this.#runs = new NewestRuns(store, (run) => this.#read(run));
  }

  /** By the names of scenarios; those that none of the newest runs had are left out. */
  async of(names: readonly string[]): Promise<ReadonlyMap<string, Last>> {
    const found = new Map<string, Last>();
    if (names.length === 0) return found;
    for await (const ofRun of this.#runs.each()) {
      for (const [name, last] of ofRun) if (!found.has(name)) found.set(name, last);
      if (names.every((name) => found.has(name))) break;
    }
    return found;
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
