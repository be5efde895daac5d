import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build, install, root } from './steps.mjs';

const program = join(root, 'bin', 'assay.js');
const spreadsheet = join(root, 'examples', 'spreadsheet');
const judged = join(root, 'examples', 'judged');
const taskmgr = join(root, 'examples', 'taskmgr');

install();
build();

console.log('\n1. A bulk-update tool for spreadsheets, tried by scenarios with boolean criteria');
const reports = join('.assay', 'demo');
assay(['run', 'scenarios', '--reporter', 'console,markdown,junit,json', '--output', reports], spreadsheet);

console.log('\n2. An answer that has to be read: judged by a scripted model over a real socket, no key, no network');
const model = spawn(process.execPath, [program, 'fake-model', 'script.yaml'], {
  cwd: judged,
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  const [url] = await once(createInterface(model.stdout), 'line');
  assay(['run', 'capital.yaml'], judged, { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'scripted' });
} finally {
  model.kill();
}

console.log(
  '\n3. A command-line tool that an agent uses, under two versions of AGENTS.md (the agent follows a script)',
);
assay(['run', '--no-cache'], taskmgr);

console.log(`
Reports: ${join('examples', 'spreadsheet', reports)} (report.md, junit.xml, run.json)

Next:
  cd examples/spreadsheet
  node ../../bin/assay.js show latest                  the report again, from the store
  node ../../bin/assay.js show "Column not found"      the last trials of a scenario
  node ../../bin/assay.js judge ../judge-protocol/dry-run.json
  cd ../taskmgr && node ../../bin/assay.js show latest  each command that the agent gave, and what came of it
Change a criterion in examples/spreadsheet/scenarios and run it again to see a failure.`);

function assay(args, cwd, env = {}) {
  const run = spawnSync(process.execPath, [program, ...args], {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
