import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { build, install, tool } from './steps.mjs';

const filters = process.argv.slice(2);
install();
build({ force: true });
if (filters.length === 0) {
  tool('typescript/bin/tsc', ['--noEmit']);
  tool('@biomejs/biome/bin/biome', ['check', '.']);
  tool('knip/bin/knip.js', []);
}
if (!hasBrowser())
  console.log(
    'Left out: what looks at pages in a browser. There is no Chromium on PATH, and ASSAY_CHROMIUM names none.',
  );
tool('vitest/vitest.mjs', ['run', ...filters]);

function hasBrowser() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [process.env.ASSAY_CHROMIUM ?? '', ...candidates].some((path) => path !== '' && existsSync(path));
}
