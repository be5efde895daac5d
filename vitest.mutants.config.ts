import { defineConfig } from 'vitest/config';
import { criticalModules } from './test/mutants/critical-modules.mjs';

const wanted = (process.env.ASSAY_MUTANTS ?? '').split(' ').filter((name) => name !== '');
const chosen = criticalModules.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

/** The unit tests of the critical modules, and nothing that builds or starts the program. */
export default defineConfig({
  test: {
    include: [...new Set(chosen.flatMap(({ tests }) => tests))],
    pool: 'forks',
    isolate: false,
    testTimeout: 60_000,
  },
});
