import { configDefaults, defineConfig } from 'vitest/config';
import usual, { otherLongSuites, webSuites } from './vitest.config.ts';

/** Suites about SQLite itself, about the sources, or that start their own Postgres. */
const ofOtherStores = [
  ...['keep', 'structure', 'web', 'lying-world', 'with-*'].map((name) => `test/${name}/**`),
  // Each project of a workspace has its own store: one address for all of them is refused.
  'test/entry/workspace.test.ts',
];

/** Suites of the black box that start no program which keeps a run. */
const withoutStore = [
  'test/{laws,shared}/**',
  'test/compose/plugins-{hostile,refused}.test.ts',
  'test/drive/{fake-model,models}-*.test.ts',
  'test/engine/faults-engine.test.ts',
  'test/load/bad-input-*.test.ts',
  'test/report/report-answers.test.ts',
];

const { projects: _projects, ...settings } = usual.test ?? {};

/**
 * The black-box suite with the runs of every project on Postgres. Long suites are left out unless their subject is what
 * the store keeps (`longStoreSuites`): the others behave alike on every store, and `npm run test:long` has them.
 */
export default defineConfig({
  ...usual,
  test: {
    ...settings,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...ofOtherStores, ...withoutStore, ...otherLongSuites, ...webSuites],
    // Every program that is started has to connect first.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
