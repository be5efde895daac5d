import { configDefaults, defineConfig } from 'vitest/config';
import { bundledCode } from './scripts/bundled-code.mjs';
import { SlowestFirst } from './scripts/slowest-first.mjs';

// Tests talk to loopback alone, and more certificates than its own take each of the thousands of Node processes that
// they start four times as long to start.
delete process.env.NODE_EXTRA_CA_CERTS;

/** Suites with a command of their own, `npm run test:long`. */
export const longSuites: readonly string[] = [
  'src/drive/recorder/differential.test.ts',
  'src/load/scenarios/formats/*/mutations.test.ts',
  'test/load/bad-input-mutations.test.ts',
  'test/entry/deploy.test.ts',
  'test/structure/docs-build.test.ts',
  'test/keep/distributed-{control,faults,files,placement}.test.ts',
  'test/report/report-memory.test.ts',
  'test/shared/json-schema-official.test.ts',
  'test/keep/store-{backup,copy,flipped-bytes,injected-faults}.test.ts',
];

export default defineConfig({
  plugins: [bundledCode()],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'program',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
        },
      },
      {
        extends: true,
        // The globals of a browser must not leak into tests of the program.
        test: { name: 'pages', include: ['web/src/**/*.test.tsx'], environment: 'happy-dom', isolate: true },
      },
    ],
    exclude: [...configDefaults.exclude, ...longSuites, 'test/with-*/**'],
    // The style sheet of the HTML report is read as text; Vitest would make it empty.
    css: { include: [/report\.css/] },
    pool: 'forks',
    // No module has state of its own, and a new process for each of hundreds of files takes longer than the tests.
    isolate: false,
    // Most tests wait for programs and servers that they start.
    maxWorkers: 4,
    sequence: { sequencer: SlowestFirst },
    testTimeout: 60_000,
    // What is waited for may take its time on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
  },
});
