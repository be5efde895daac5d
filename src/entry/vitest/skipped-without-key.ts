import type { TestContext } from 'vitest';
import { AssayError } from '../../domain/errors.ts';

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
