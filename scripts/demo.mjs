import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build, install, root } from './steps.mjs';

install();
build();
const example = join(root, 'examples', 'spreadsheet');
console.log('\nA bulk-update tool for spreadsheets, tried by scenarios with boolean criteria:');
console.log('  node bin/assay.js run examples/spreadsheet/scenarios\n');
const run = spawnSync(
  process.execPath,
  [
    join(root, 'bin', 'assay.js'),
    'run',
    'scenarios',
    '--reporter',
    'console,markdown,junit,json',
    '--output',
    join('.assay', 'demo'),
  ],
  { cwd: example, stdio: 'inherit' },
);
if (run.status !== 0) process.exit(run.status ?? 1);
console.log(`
Next:
  cd examples/spreadsheet
  node ../../bin/assay.js show latest          the report again, from the store
  node ../../bin/assay.js show "Column not found"
  node ../../bin/assay.js judge ../judge-protocol/dry-run.json
Change a criterion in examples/spreadsheet/scenarios and run it again to see a failure.`);
