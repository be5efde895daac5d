import { generate, install, tool } from './steps.mjs';

install();
generate();
for (const project of ['.', 'web']) {
  // More checkers check the same types several times over, on machines with few cores for nothing.
  // What is kept between checks makes the next one after a small change ten times shorter.
  const kept = `node_modules/.cache/types-${project === '.' ? 'root' : project}.json`;
  const options = ['--noEmit', '--checkers', '1', '--incremental', '--tsBuildInfoFile', kept];
  tool('typescript/bin/tsc', [...options, '--project', project]);
}
tool('@biomejs/biome/bin/biome', ['check', '.']);
tool('knip/bin/knip.js', []);
// Of the tests, those of words and borders of folders, which take seconds.
tool('vitest/vitest.mjs', [
  'run',
  'test/structure/words.test.ts',
  'test/structure/boundaries.test.ts',
  'test/structure/cycles.test.ts',
  '--reporter',
  'dot',
]);
