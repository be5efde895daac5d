import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/** No task of a user takes more. */
const mostClicks = 8;

/** Counts the clicks that a task takes. */
export class CountedClicks {
  #clicks = 0;

  async click(target: Locator): Promise<void> {
    this.#clicks++;
    await target.click();
  }

  /** One on a button of the browser itself, or a choice in a list. */
  count(): void {
    this.#clicks++;
  }

  /** Does one task, which may take so many clicks. */
  async task(name: string, most: number, act: () => Promise<void>): Promise<void> {
    this.#clicks = 0;
    await act();
    process.stdout.write(`  ${name}: ${this.#clicks} clicks\n`);
    expect(this.#clicks).toBeLessThanOrEqual(Math.min(most, mostClicks));
  }
}
