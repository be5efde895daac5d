import { lastAction, shownAction } from '../domain/last-action.ts';
import type { Emit } from '../domain/run.ts';
import type { Trace } from '../domain/trace.ts';

const sampleMs = 500;

interface Watched {
  readonly trace: Trace;
  /** Trials that end between two samples are never looked at. */
  isOld: boolean;
  /** Number of events at the last sample. */
  length: number;
  stage: string | undefined;
  emitted: string | undefined;
}

/**
 * Emits what running trials did last. Their traces are looked at twice a second, so the cost does not depend on how many
 * trials there are, or on how many events they have.
 */
export class LastActions {
  readonly #emit: Emit;
  readonly #redact: (text: string) => string;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(emit: Emit, redact: (text: string) => string) {
    this.#emit = emit;
    this.#redact = redact;
  }

  begin(trialId: string, trace: Trace): void {
    this.#watched.set(trialId, { trace, isOld: false, length: -1, stage: undefined, emitted: undefined });
    this.#timer ??= setInterval(() => this.#sample(), sampleMs).unref();
  }

  /** The target is done, and the trial goes on with this. */
  enter(trialId: string, stage: string): void {
    const watched = this.#watched.get(trialId);
    if (watched) watched.stage = stage;
  }

  end(trialId: string): void {
    this.#watched.delete(trialId);
  }

  #sample(): void {
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const [trialId, watched] of this.#watched) {
      const action = watched.isOld ? this.#newActionOf(watched) : undefined;
      watched.isOld = true;
      if (action !== undefined) this.#emit({ type: 'trial-action', trialId, action });
    }
  }

  #newActionOf(watched: Watched): string | undefined {
    if (watched.stage === undefined && watched.trace.length === watched.length) return undefined;
    watched.length = watched.trace.length;
    const did = watched.stage ?? lastAction(watched.trace);
    if (did === undefined || did === watched.emitted) return undefined;
    watched.emitted = did;
    return shownAction(this.#redact(did));
  }
}
