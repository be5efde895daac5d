import { defineConfig } from 'vitest/config';

/** Real agents: slow, and only those that `npm run test:agents` has installed. */
export default defineConfig({
  test: {
    include: ['test/with-real-agents/**/*.test.ts'],
    pool: 'forks',
    // Each agent is a large program with threads of its own.
    fileParallelism: false,
    testTimeout: 240_000,
  },
});
