import type { Lease } from '../keep/distribution/distribution.ts';
import type { FinishedTrial } from '../keep/store/store.ts';
import { Workshop, type WorkshopOptions } from './workshop.ts';

/** The workshops of a worker, one for each run that it takes part in. */
export class Workshops {
  readonly #options: WorkshopOptions;
  readonly #open = new Map<string, Promise<Workshop>>();

  constructor(options: WorkshopOptions) {
    this.#options = options;
  }

  get runs(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Runs a trial; undefined when it was interrupted. What cannot be opened is tried again with the next trial. */
  async perform(lease: Lease): Promise<FinishedTrial | undefined> {
    return (await this.of(lease.group.runId)).perform(lease);
  }

  /** The workshop of a run. */
  of(runId: string): Promise<Workshop> {
    const opening = this.#open.get(runId) ?? Workshop.open(runId, this.#options);
    this.#open.set(runId, opening);
    opening.catch(() => this.#open.delete(runId));
    return opening;
  }

  /** Interrupts the trials of a run and ends all that was opened for it. */
  async end(runId: string): Promise<void> {
    const workshop = await this.#open.get(runId)?.catch(() => undefined);
    this.#open.delete(runId);
    await workshop?.[Symbol.asyncDispose]();
  }
}
