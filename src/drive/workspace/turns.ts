import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one piece of work may keep everything else waiting. */
const longestTurnMs = 8;

/**
 * Lets long work be done in short turns. Asking the file system without waiting is several times faster for many
 * small files, but nothing else happens meanwhile.
 */
export class Turns {
  #began = performance.now();

  /** To be awaited now and then; gives way to others when the turn has been long enough. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.#began < longestTurnMs) return;
    await nextTurn();
    this.#began = performance.now();
  }
}
