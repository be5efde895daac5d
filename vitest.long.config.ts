import { configDefaults, defineConfig } from 'vitest/config';
import usual, { longSuites } from './vitest.config.ts';

/** What takes too long to wait for after each change: thousands of malformed files, whole clusters, large reports. */
export default defineConfig({
  ...usual,
  test: { ...usual.test, include: [...longSuites], exclude: configDefaults.exclude },
});
