import type { ScenarioItem } from '../../api/project.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { ScenarioCounts, Store } from '../../store/store.ts';

type Last = NonNullable<ScenarioItem['last']>;

const mostRuns = 20;

/** How scenarios ended when they were last run: a scenario of many trials as badly as the worst of them. */
export class LastOutcomes {
  readonly #store: Store;
  /** Of finished runs, which do not change. */
  readonly #known = new Map<string, ReadonlyMap<string, Last>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** By the names of scenarios; those that none of the newest runs had are left out. */
  async of(names: readonly string[]): Promise<ReadonlyMap<string, Last>> {
    const found = new Map<string, Last>();
    const runs = await this.#store.listRuns(mostRuns);
    for (const run of runs) {
      if (names.every((name) => found.has(name))) break;
      for (const [name, last] of await this.#lastIn(run)) if (!found.has(name)) found.set(name, last);
    }
    this.#forgetAllBut(runs);
    return found;
  }

  async #lastIn(run: RunHeader): Promise<ReadonlyMap<string, Last>> {
    const known = this.#known.get(run.runId);
    if (known) return known;
    const counts = await this.#store.countByScenario(run.runId);
    const found = await Promise.all(counts.map((each) => this.#worstOf(run.runId, each)));
    const last = new Map(found.flatMap((each) => (each ? [each] : [])));
    if (run.status === 'finished') this.#known.set(run.runId, last);
    return last;
  }

  async #worstOf(runId: string, counts: ScenarioCounts): Promise<readonly [string, Last] | undefined> {
    const outcome = worstOutcome(counts);
    const { items } = await this.#store.readTrialRows(runId, {
      limit: 1,
      scenario: counts.scenario,
      outcomes: [outcome],
    });
    const [trial] = items;
    return trial && [counts.scenario, { runId, trialId: trial.trialId, outcome, startedAt: trial.startedAt }];
  }

  #forgetAllBut(runs: readonly RunHeader[]): void {
    const kept = new Set(runs.map(({ runId }) => runId));
    for (const runId of this.#known.keys()) if (!kept.has(runId)) this.#known.delete(runId);
  }
}

function worstOutcome({ fail, error, pass }: ScenarioCounts): Outcome {
  if (fail > 0) return 'fail';
  if (error > 0) return 'error';
  return pass > 0 ? 'pass' : 'skipped';
}
