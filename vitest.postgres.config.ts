import { configDefaults, defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** What is about SQLite itself, or starts a Postgres of its own anyway. */
const leftOut = ['store*', 'distributed*', 'boundaries', 'domain-in-browser'].map((name) => `test/${name}.test.ts`);

/** The black-box suite with the runs of every project on Postgres. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: ['test/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leftOut],
    // Every program that is started has to connect first.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
