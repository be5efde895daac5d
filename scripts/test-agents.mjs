import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agents, cachedAgent, testedAgent } from './real-agents.mjs';
import { build, install, root, step } from './steps.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, 'install-only': { type: 'boolean' }, record: { type: 'boolean' } },
});
const installed = [];
for (const agent of chosen(values.only)) {
  const problem = cachedAgent(agent).leftOutBecause();
  if (problem !== undefined) console.log(`Left out: ${agent.name} ${agent.version}: ${problem}`);
  else installed.push(testedAgent(agent));
}
if (installed.length === 0) {
  console.error('There is no agent to test.');
  process.exit(1);
}
console.log(`Agents: ${installed.map(({ name, version }) => `${name} ${version}`).join(', ')}`);
if (values['install-only']) process.exit(0);

install();
build();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
step(process.execPath, [vitest, 'run', '--config', 'vitest.agents.config.ts', ...positionals], {
  env: {
    ...process.env,
    ASSAY_TEST_AGENTS: JSON.stringify(installed),
    ...(values.record ? { ASSAY_TEST_AGENTS_RECORD: '1' } : {}),
  },
});

function chosen(only) {
  if (only === undefined) return agents;
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !agents.some((agent) => agent.name === name));
  if (unknown.length > 0) {
    console.error(
      `Unknown: ${unknown.join(', ')}. There are ${[...new Set(agents.map(({ name }) => name))].join(', ')}.`,
    );
    process.exit(2);
  }
  return agents.filter(({ name }) => names.includes(name));
}
