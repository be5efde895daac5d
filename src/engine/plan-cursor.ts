import { AssayError } from '../domain/errors.ts';
import type { Trial } from '../domain/trial.ts';

/** Trials behind the cursor that are still at hand. */
const keptBehind = 2_000;

/** Finds trials of a plan by their place in it, reading forwards; the plan begins anew when it must go far back. */
export class PlanCursor {
  readonly #plan: () => AsyncGenerator<Trial, void>;
  readonly #passed = new Map<number, Trial>();
  #trials: AsyncGenerator<Trial, void>;
  #next = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(plan: () => AsyncGenerator<Trial, void>) {
    this.#plan = plan;
    this.#trials = plan();
  }

  /** The trial at this place; the id must be the one that is expected there. */
  find(ordinal: number, trialId: string): Promise<Trial> {
    const found = this.#turn.then(() => this.#read(ordinal));
    this.#turn = found.catch(() => undefined);
    return found.then((trial) => {
      if (trial?.trialId === trialId) return trial;
      throw new AssayError(
        'RUN_CHANGED',
        `The plan made here has ${trial?.trialId ?? 'no trial'} at place ${ordinal}, where ${trialId} is expected.`,
      );
    });
  }

  async #read(ordinal: number): Promise<Trial | undefined> {
    const known = this.#passed.get(ordinal);
    if (known) return known;
    if (ordinal < this.#next) await this.#restart();
    while (this.#next <= ordinal) {
      const { value, done } = await this.#trials.next();
      if (done || !value) return undefined;
      this.#next = value.ordinal + 1;
      this.#passed.set(value.ordinal, value);
      this.#passed.delete(value.ordinal - keptBehind);
    }
    return this.#passed.get(ordinal);
  }

  async #restart(): Promise<void> {
    await this.#trials.return();
    this.#trials = this.#plan();
    this.#passed.clear();
    this.#next = 0;
  }

  /** Lets go of open files. */
  async close(): Promise<void> {
    await this.#trials.return();
  }
}
