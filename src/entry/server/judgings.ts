import { asAssayError } from '../../domain/errors.ts';
import type { Judging } from './api/trials.ts';

type Progress = Pick<Judging, 'judged' | 'total' | 'costUsd'>;
type Problem = NonNullable<Judging['problem']>;

interface RunningJudging {
  readonly controller: AbortController;
  progress: Progress;
}

const nothing: Progress = { judged: 0, total: 0, costUsd: 0 };

/** Judgings of this process by their sides. They go on when the page that started them is closed. */
export class Judgings {
  readonly #running = new Map<string, RunningJudging>();
  /** Why the last one of some sides ended early. */
  readonly #problems = new Map<string, Problem>();

  /** Begins, unless these sides are being judged already. */
  start(
    key: string,
    ended: AbortSignal,
    work: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<void>,
  ): void {
    if (this.#running.has(key)) return;
    const own: RunningJudging = { controller: new AbortController(), progress: nothing };
    this.#running.set(key, own);
    this.#problems.delete(key);
    const signal = AbortSignal.any([own.controller.signal, ended]);
    const report = (progress: Progress): void => {
      own.progress = progress;
    };
    void work(signal, report)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#problems.set(key, problemOf(error));
      })
      .finally(() => this.#running.delete(key));
  }

  progressOf(key: string): Progress | undefined {
    return this.#running.get(key)?.progress;
  }

  problemOf(key: string): Problem | null {
    return this.#problems.get(key) ?? null;
  }

  cancel(key: string): void {
    this.#running.get(key)?.controller.abort();
  }
}

function problemOf(error: unknown): Problem {
  const { message, hint } = asAssayError(error);
  return { message, hint: hint ?? null };
}
