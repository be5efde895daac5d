import { findChromium } from './find-chromium.mjs';
import { findOnPath } from './find-on-path.mjs';
import { findPostgres } from './find-postgres.mjs';
import { build, install, tool } from './steps.mjs';
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

install();
const missing = helpers.filter(({ find }) => !find());
if (missing.length > 0) installSystemPackages(missing.flatMap(({ packages }) => packages));
build({ force: true, complete: true });
for (const { find, without } of helpers) if (!find()) console.log(`Left out: ${without}`);
tool('vitest/vitest.mjs', ['run', ...process.argv.slice(2)]);
