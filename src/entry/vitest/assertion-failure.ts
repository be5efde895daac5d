/** What a test fails with, as Vitest shows failed assertions. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionError';
}
