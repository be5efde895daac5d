import { build, install, tool } from './steps.mjs';

const filters = process.argv.slice(2);
install();
build({ force: true });
if (filters.length === 0) {
  tool('typescript/bin/tsc', ['--noEmit']);
  tool('@biomejs/biome/bin/biome', ['check', '.']);
  tool('knip/bin/knip.js', []);
}
tool('vitest/vitest.mjs', ['run', ...filters]);
