import { configDefaults, defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** Every suite that needs nothing of others, by its name: sabotages are noticed by suites of several commands. */
export default defineConfig({
  ...usual,
  test: { ...usual.test, exclude: [...configDefaults.exclude, 'test/with-*/**'] },
});
