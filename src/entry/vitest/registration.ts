import { describe, it, type TestContext } from 'vitest';
import { AssayError } from './program.ts';

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

/** Skips a test that needs a model for which there is no key here, and says so. */
export async function skippedWithoutKey<Result>(
  context: Pick<TestContext, 'skip'>,
  test: () => Promise<Result>,
): Promise<Result> {
  try {
    return await test();
  } catch (error) {
    if (isMissingKey(error)) context.skip(`${error.message} ${error.hint}`);
    throw error;
  }
}

function isMissingKey(error: unknown): error is AssayError {
  return error instanceof AssayError && error.code === 'MODEL_NO_KEY';
}

/** A failure that Vitest shows like a failed assertion. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionError';
}
