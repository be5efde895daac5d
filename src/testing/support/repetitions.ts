/** Set by `npm run test:long`. */
export const repeatsInFull = process.env.ASSAY_TESTS_IN_FULL === '1';

/**
 * How often a test repeats one mechanism with other inputs: seeds are fixed, so the usual ones are the first of the
 * others. A suite that uses this belongs into `repeatedSuites` of vitest.config.ts.
 */
export function repetitions({ usual, inFull }: { readonly usual: number; readonly inFull: number }): number {
  return repeatsInFull ? inFull : usual;
}
