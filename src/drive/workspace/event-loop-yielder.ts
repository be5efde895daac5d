import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long synchronous work may block the event loop. */
const longestTurnMs = 8;

/**
 * Splits long synchronous work into short turns of the event loop. Synchronous file system calls are several times
 * faster for many small files, but they block everything else.
 */
export class EventLoopYielder {
  #began = performance.now();

  /** To be awaited regularly; lets other work run once this turn has been long enough. */
  async yieldIfDue(): Promise<void> {
    if (performance.now() - this.#began < longestTurnMs) return;
    await nextTurn();
    this.#began = performance.now();
  }
}
