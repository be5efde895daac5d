import { generate, install, tool } from './steps.mjs';

install();
generate();
for (const project of ['.', 'web']) {
  // More checkers check the same types several times over, on machines with few cores for nothing.
  tool('typescript/bin/tsc', ['--noEmit', '--checkers', '1', '--project', project]);
}
tool('@biomejs/biome/bin/biome', ['check', '.']);
tool('knip/bin/knip.js', []);
