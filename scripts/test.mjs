import { findChromium } from './find-chromium.mjs';
import { build, install, tool } from './steps.mjs';

const filters = process.argv.slice(2);
install();
build({ force: true });
if (filters.length === 0) {
  for (const project of ['.', 'src/reporters/html/client', 'web'])
    tool('typescript/bin/tsc', ['--noEmit', '--project', project]);
  tool('@biomejs/biome/bin/biome', ['check', '.']);
  tool('knip/bin/knip.js', []);
}
if (!findChromium())
  console.log(
    'Left out: what looks at pages in a browser. There is no Chromium on PATH, and ASSAY_CHROMIUM names none.',
  );
tool('vitest/vitest.mjs', ['run', ...filters]);
