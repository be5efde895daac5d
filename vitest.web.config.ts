import { configDefaults, defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

const { projects: _projects, ...settings } = usual.test ?? {};

/** All pages in a browser. */
export default defineConfig({
  ...usual,
  test: {
    ...settings,
    include: ['test/web/**/*.test.ts', 'test/report/html-report.test.ts'],
    exclude: configDefaults.exclude,
  },
});
