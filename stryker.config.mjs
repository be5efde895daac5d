import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Of `npm run test:mutants`, whose script names the files and the report. */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutants.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // They are built once for all tests of a process, so a mutant in one is neither noticed nor missed reliably.
  ignoreStatic: true,
  // Words of messages are tested where users read them.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignorePatterns: ['dist', 'dist.*', 'release', 'bench', 'deploy', 'web', 'examples', '.assay'],
  // Nothing is rewritten in it: tests run as TypeScript.
  tsconfigFile: 'tsconfig.none.json',
  tempDirName: join(tmpdir(), 'assay-mutants'),
  reporters: ['json'],
  jsonReporter: { fileName: process.env.ASSAY_MUTANTS_REPORT },
  incremental: true,
  incrementalFile: process.env.ASSAY_MUTANTS_REPORT?.replace(/json$/, 'incremental.json'),
  timeoutMS: 10_000,
  allowConsoleColors: false,
};
