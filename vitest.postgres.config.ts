import { configDefaults, defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** Suites about SQLite itself, about the sources, or that start their own Postgres. */
const leftOut = [
  ...['keep', 'structure', 'web', 'lying-world', 'with-*'].map((name) => `test/${name}/**`),
  // Each project of a workspace has its own store: one address for all of them is refused.
  'test/entry/workspace.test.ts',
];

const { projects: _projects, ...settings } = usual.test ?? {};

/** The black-box suite with the runs of every project on Postgres. */
export default defineConfig({
  ...usual,
  test: {
    ...settings,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leftOut],
    // Every program that is started has to connect first.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
