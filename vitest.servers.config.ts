import { defineConfig } from 'vitest/config';

/** Real servers of others: only those that `npm run test:servers` has installed. */
export default defineConfig({
  test: {
    include: ['test/with-real-servers/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
