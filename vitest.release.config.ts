import { defineConfig } from 'vitest/config';

/** The standalone executables of `npm run release`: `npm run test:release` builds them first. */
export default defineConfig({
  test: {
    include: ['test/with-release/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
