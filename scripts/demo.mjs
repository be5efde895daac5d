import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build, install, root } from './steps.mjs';

const program = join(root, 'bin', 'assay.js');
const example = (name) => join(root, 'examples', name);
const spreadsheet = example('spreadsheet');

/** Exit codes of a run that is there to show failures as well. */
const mayFail = [0, 1];

install();
build();

console.log(
  '\n1. A bulk-update tool for spreadsheets, as a function, a command and an MCP server, by boolean criteria',
);
const reports = join('.assay', 'demo');
assay(['run', 'scenarios', '--reporter', 'console,html,markdown,junit,json', '--output', reports], spreadsheet);

console.log('\n2. An answer that has to be read: judged by a scripted model over a real socket, no key, no network');
await withModel(example('judged'), 'script.yaml', (env) => assay(['run', 'capital.yaml'], example('judged'), env));

console.log(
  '\n3. A command-line tool that an agent uses, under two versions of AGENTS.md (the agent follows a script)',
);
assay(['run', '--no-cache'], example('taskmgr'));

console.log('\n4. An MCP server: its tools called directly, then used by a (scripted) model, and judged');
const calculator = example('calculator');
await withModel(calculator, 'model.yaml', (env) => assay(['run', 'calculator.json', '--llm'], calculator, env));

console.log('\n5. An agent behind an HTTP endpoint, talked to: assertions, metrics and a judge');
const booking = example('booking-agent');
await withModel(booking, 'model.yaml', async (env) => {
  const agent = await started(['agent.mjs'], booking, { ...env, PORT: '0' });
  try {
    const args = ['run', 'booking-flow.jsonc', '--judge-model', 'openai/gpt-4o-mini'];
    assay(args, booking, { ...env, BOOKING_AGENT_URL: agent.line });
  } finally {
    agent.child.kill();
  }
});

console.log(
  '\n6. A skill: does it help, and is it used when it should be? Two descriptions of it, by the prompts that trigger it',
);
assay(['run', '--no-cache'], example('changelog-skill'), {}, mayFail);

console.log('\n7. A tool that fails on purpose: which faults a careful and a careless agent cope with');
assay(['run', '--no-cache'], example('fragile-tools'), {}, mayFail);

console.log('\n8. A tool that lies: whether a careful and a gullible agent obey what it returns');
const attacks = ['--attacks', 'direct-call,direct-change', '--places', 'tool-result,file-content'];
assay(['attack', '--no-cache', ...attacks], join(example('fragile-tools'), 'attacked'), {}, mayFail);

console.log(`
Reports: ${join('examples', 'spreadsheet', reports)} (report.html to open in a browser, report.md, junit.xml, run.json)

Next:
  cd examples/spreadsheet
  node ../../bin/assay.js show latest                  the report again, from the store
  node ../../bin/assay.js show "Column not found"      the last trials of a scenario
  node ../../bin/assay.js score judge ../judge-protocol/dry-run.json
  cd ../taskmgr && node ../../bin/assay.js show "Plan a release"  the trials of the agent; show <trial> has each command, and what came of it
  cd ../calculator && node ../../bin/assay.js mcp check -- node server.mjs
Change a criterion in examples/spreadsheet/scenarios and run it again to see a failure.`);

/** Lets something happen while a scripted model serves every provider's protocol. */
async function withModel(cwd, script, action) {
  const model = await started([program, 'fake-model', script], cwd, {});
  const url = model.line;
  try {
    await action({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: 'scripted',
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'scripted',
    });
  } finally {
    model.child.kill();
  }
}

/** A server of the demo, and the first line that it prints: its address. */
async function started(args, cwd, env) {
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, line };
}

function assay(args, cwd, env = {}, expected = [0]) {
  const run = spawnSync(process.execPath, [program, ...args], {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (!expected.includes(run.status)) process.exit(run.status ?? 1);
}
