import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const program = fileURLToPath(new URL('../../bin/assay.js', import.meta.url));

/** Counts the schemas that the program's files make while they are loaded; zod gives each to this hook. */
const counting = `
const { isMainThread } = require('node:worker_threads');
Error.stackTraceLimit = 200;
let count = 0;
if (isMainThread) {
  globalThis.__zod_globalConfig = {
    postProcessor() {
      if (new Error().stack.includes('load-program.js')) count++;
    },
  };
  process.on('exit', () => require('node:fs').writeFileSync('count.txt', String(count)));
}
`;

// Each takes some 30 microseconds: the schemas of parts that a run does not use were a tenth of its start.
it('a start makes few schemas: the others are made where they are used', async () => {
  const folder = await temporaryFolder({
    'counting.cjs': counting,
    'tool.mjs': 'export const add = ({ a, b }) => ({ sum: a + b });\n',
    's.yaml':
      'name: Add\ncall: { module: ./tool.mjs, export: add }\ninput: { a: 1, b: 2 }\npassCriteria: [result.sum === 3]\n',
  });
  const args = ['--require', './counting.cjs', program, 'run', 's.yaml'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
  const made = Number(readFileSync(join(folder, 'count.txt'), 'utf8'));
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThanOrEqual(200);
});
