import { configDefaults, defineConfig } from 'vitest/config';
import usual, { longSuites, repeatedSuites } from './vitest.config.ts';

/**
 * Suites that take too long to run after each change: thousands of malformed files, whole clusters, large reports; and
 * those of `npm test` that repeat a mechanism, with all repetitions.
 */
const { projects: _projects, ...settings } = usual.test ?? {};

export default defineConfig({
  ...usual,
  test: {
    ...settings,
    include: [...longSuites, ...repeatedSuites],
    exclude: configDefaults.exclude,
    env: { ASSAY_TESTS_IN_FULL: '1' },
    // All repetitions of a mechanism are one test.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
