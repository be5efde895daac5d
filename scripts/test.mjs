import { findChromium } from './find-chromium.mjs';
import { findOnPath } from './find-on-path.mjs';
import { findPostgres } from './find-postgres.mjs';
import { build, failuresOf, install, toolBeside } from './steps.mjs';
import { installSystemPackages } from './system-packages.mjs';

/** Programs beside Node that some suites need. */
const helpers = [
  {
    find: findChromium,
    packages: ['chromium', 'fonts-liberation'],
    without: 'tests of pages in a browser. There is no Chromium on PATH, and ASSAY_CHROMIUM names none.',
  },
  {
    find: findPostgres,
    packages: ['postgresql'],
    without:
      'tests of shared stores. There is no Postgres on PATH or in /usr/lib/postgresql, and ASSAY_POSTGRES_BIN names none.',
  },
  {
    find: () => findOnPath('bwrap'),
    packages: ['bubblewrap'],
    without: 'tests of agents isolated by bubblewrap. There is no bwrap on PATH.',
  },
];

const checks = [
  ['node_modules/knip/bin/knip.js'],
  ['node_modules/@biomejs/biome/bin/biome', 'check', '.'],
  ...['.', 'src/report/reporters/html/client', 'web'].map((project) => [
    'node_modules/typescript/bin/tsc',
    '--noEmit',
    // More of them check the same types several times over, on machines with few cores for nothing.
    '--checkers',
    '1',
    '--project',
    project,
  ]),
];

const filters = process.argv.slice(2);
install();
const missing = helpers.filter(({ find }) => !find());
if (missing.length > 0) installSystemPackages(missing.flatMap(({ packages }) => packages));
build({ force: true, complete: true });
for (const { find, without } of helpers) if (!find()) console.log(`Left out: ${without}`);
// The tests wait for programs half of the time, so the checks run beside them.
const [exitCode, failures] = await Promise.all([
  toolBeside('vitest/vitest.mjs', ['run', ...filters]),
  failuresOf(filters.length === 0 ? checks : []),
]);
for (const failure of failures) process.stderr.write(failure);
process.exitCode = failures.length > 0 ? 1 : exitCode;
