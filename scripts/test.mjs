import { findChromium } from './find-chromium.mjs';
import { findPostgres } from './find-postgres.mjs';
import { build, install, tool } from './steps.mjs';
import { installSystemPackages } from './system-packages.mjs';

/** Programs beside Node that some suites need. */
const helpers = [
  {
    find: findChromium,
    packages: ['chromium', 'fonts-liberation'],
    without: 'what looks at pages in a browser. There is no Chromium on PATH, and ASSAY_CHROMIUM names none.',
  },
  {
    find: findPostgres,
    packages: ['postgresql'],
    without:
      'what needs a Postgres server. There is none on PATH or in /usr/lib/postgresql, and ASSAY_POSTGRES_BIN names none.',
  },
];

const filters = process.argv.slice(2);
install();
const missing = helpers.filter(({ find }) => !find());
if (missing.length > 0) installSystemPackages(missing.flatMap(({ packages }) => packages));
build({ force: true, complete: true });
if (filters.length === 0) {
  for (const project of ['.', 'src/report/reporters/html/client', 'web'])
    tool('typescript/bin/tsc', ['--noEmit', '--project', project]);
  tool('@biomejs/biome/bin/biome', ['check', '.']);
  tool('knip/bin/knip.js', []);
}
for (const { find, without } of helpers) if (!find()) console.log(`Left out: ${without}`);
tool('vitest/vitest.mjs', ['run', ...filters]);
