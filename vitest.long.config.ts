import { configDefaults, defineConfig } from 'vitest/config';
import usual, { longSuites } from './vitest.config.ts';

/** Suites that take too long to run after each change: thousands of malformed files, whole clusters, large reports. */
const { projects: _projects, ...settings } = usual.test ?? {};

export default defineConfig({
  ...usual,
  test: { ...settings, include: [...longSuites], exclude: configDefaults.exclude },
});
