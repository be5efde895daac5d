import { describe, it } from 'vitest';

/**
 * A suite whose tests are known only after something was read. What goes wrong meanwhile is a test that fails: thrown
 * while a file is collected, it would take the other tests of the file with it.
 */
export function describeSafely(name: string, define: () => Promise<void>): void {
  describe(name, async () => {
    try {
      await define();
    } catch (error) {
      it('can be run', () => Promise.reject(error));
    }
  });
}
