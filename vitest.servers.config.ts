import { defineConfig } from 'vitest/config';

// More certificates than its own take each Node process that tests start longer to start.
delete process.env.NODE_EXTRA_CA_CERTS;

/** Real servers of others, as far as `npm run test:servers` has installed them, and our hostile ones of both eras. */
export default defineConfig({
  test: {
    include: [
      'test/with-real-servers/**/*.test.ts',
      'src/drive/mcp/**/hostile-*.test.ts',
      'src/mcp-check/broken-servers.test.ts',
    ],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});
