import type { Fault, Outcome } from '../domain/outcome.ts';
import type { Emit } from '../domain/run.ts';
import type { Trial } from '../domain/trial.ts';
import type { FinishedTrial } from '../keep/store/store.ts';
import type { Execution } from './execution.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import type { FeaturePlace, OpenFeatures, PerformTrial, Round, RunFeature } from './run-feature.ts';

/** The features of one run, called together: the first in the list is the outermost around a trial. */
export class RunFeatures implements AsyncDisposable {
  /** Sends an event to the listeners of the run, and to its features. */
  readonly emit: Emit;
  /** Whether a feature holds the turn of a trial, so the trial itself must not wait for it again. */
  readonly holdTurn: boolean;
  readonly #features: readonly RunFeature[];
  readonly #wrapping: readonly RunFeature[];
  readonly #noteStop: (reason: string) => Promise<void>;
  #stop: string | undefined;
  #fault: Fault | undefined;

  private constructor(features: readonly RunFeature[], { emit, store, header }: FeaturePlace) {
    this.#noteStop = (reason) => store.addStop(header.runId, reason);
    this.#features = features;
    this.#wrapping = features.filter(({ around }) => around);
    this.holdTurn = features.some(({ holdsTurn }) => holdsTurn);
    const listening = features.filter(({ listen }) => listen);
    this.emit = (event) => {
      emit(event);
      for (const feature of listening) feature.listen?.(event);
    };
  }

  static async open(open: OpenFeatures = async () => [], place: FeaturePlace): Promise<RunFeatures> {
    return new RunFeatures(await open(place), place);
  }

  /** Why no trial can begin. */
  async begin(): Promise<Fault | undefined> {
    for (const feature of this.#features) this.#fault ??= await feature.begin?.();
    return this.#fault;
  }

  /** Whether any of them runs the trials in rounds. */
  get hasRounds(): boolean {
    return this.#features.some(({ nextRound }) => nextRound);
  }

  /** One that plans rounds decides for all. */
  async nextRound(): Promise<Round | undefined> {
    return this.#features.find(({ nextRound }) => nextRound)?.nextRound?.();
  }

  /** Whether a further trial may begin. */
  async mayGoOn(): Promise<boolean> {
    for (const feature of this.#features) {
      const reason = await feature.stopped?.();
      if (reason !== undefined) {
        await this.#keepStop(reason);
        return false;
      }
    }
    return true;
  }

  async #keepStop(reason: string): Promise<void> {
    if (this.#stop !== undefined) return;
    this.#stop = reason;
    this.emit({ type: 'warning', message: `No further trial begins: ${reason}.` });
    await this.#noteStop(reason);
  }

  /** The trials, until a feature lets no further one begin. */
  whileAllowed(trials: AsyncIterableIterator<Trial>): AsyncIterableIterator<Trial> {
    return this.#features.some(({ stopped }) => stopped) ? this.#allowed(trials) : trials;
  }

  async *#allowed(trials: AsyncIterable<Trial>): AsyncGenerator<Trial, void> {
    for await (const trial of trials) {
      if (!(await this.mayGoOn())) return;
      yield trial;
    }
  }

  around(trial: Trial, perform: PerformTrial, turns: OneAtATime): Promise<FinishedTrial | undefined> {
    if (this.#fault || this.#wrapping.length === 0) return perform(this.#fault);
    const wrapped = this.#wrapping.reduceRight<PerformTrial>((inner, feature) => {
      const inside = async () => feature.around?.(trial, inner);
      return async (fault) => {
        if (fault) return perform(fault);
        return feature.holdsTurn ? turns.run(trial.scenario.shares, inside) : inside();
      };
    }, perform);
    return wrapped();
  }

  /** Undefined where no feature waits for the moment before the work. */
  get prepared(): RunFeature['prepared'] {
    const waiting = this.#features.filter(({ prepared }) => prepared);
    if (waiting.length === 0) return undefined;
    return async (...place) => {
      for (const feature of waiting) await feature.prepared?.(...place);
    };
  }

  /** At once where no feature looks at executions: waiting would cost more than most trials. */
  check(trial: Trial, execution: Execution): Execution | Promise<Execution> {
    return this.#features.reduce<Execution | Promise<Execution>>((checked, feature) => {
      if (!feature.check) return checked;
      return checked instanceof Promise
        ? checked.then((each) => feature.check?.(trial, each) ?? each)
        : feature.check(trial, checked);
    }, execution);
  }

  async end(outcome: () => Promise<Outcome>): Promise<void> {
    for (const feature of this.#features) await feature.end?.(outcome);
    await this.save();
  }

  async save(): Promise<void> {
    for (const feature of this.#features) await feature.save?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const feature of this.#features) await feature[Symbol.asyncDispose]?.();
  }
}
