import { type JudgedTrial, JudgedTrials } from '../../../compose/summaries/judged-trials.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { eachTrial, requireRun, type Store } from '../../../keep/store/store.ts';
import { NewestRuns } from '../catalog/newest-runs.ts';

const mostListed = 2_000;

/** The judged trials of recent runs. */
export class JudgedTrialsOfRuns {
  readonly #store: Store;
  readonly #runs: NewestRuns<readonly JudgedTrial[]>;

  constructor(store: Store, read: (run: RunHeader) => Promise<readonly JudgedTrial[]>) {
    this.#store = store;
    this.#runs = new NewestRuns(store, read);
  }

  /** Of one run, or of the newest ones; the newest run first. */
  async of(runId?: string): Promise<readonly JudgedTrial[]> {
    if (runId !== undefined) return this.#runs.of(await requireRun(this.#store, runId));
    const found: JudgedTrial[] = [];
    for await (const trials of this.#runs.each()) {
      found.push(...trials);
      if (found.length >= mostListed) break;
    }
    return found.slice(0, mostListed);
  }
}

/** The first judged trials of a run. */
export async function readJudgedTrials(store: Store, runId: string): Promise<readonly JudgedTrial[]> {
  const judged = new JudgedTrials();
  for await (const record of eachTrial(store, runId)) {
    judged.add(record);
    if (judged.isFull) break;
  }
  return judged.found;
}
