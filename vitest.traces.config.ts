import { defineConfig } from 'vitest/config';

// More certificates than its own take each Node process that tests start longer to start.
delete process.env.NODE_EXTRA_CA_CERTS;

/** Libraries of others that send traces, as far as `npm run test:traces` has installed them. */
export default defineConfig({
  test: {
    include: ['test/with-real-libraries/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
