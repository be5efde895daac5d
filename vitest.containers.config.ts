import { defineConfig } from 'vitest/config';

/** Trials in real containers: `npm run test:containers` names the engine. */
export default defineConfig({
  test: {
    include: ['test/with-containers/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
