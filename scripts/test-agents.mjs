import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CachedPackage, cacheFolder } from './cached-packages.mjs';
import { build, install, root, step } from './steps.mjs';

const agents = [
  { name: 'claude-code', package: '@anthropic-ai/claude-code', version: '2.1.197', program: 'claude' },
  { name: 'codex', package: '@openai/codex', version: '0.166.0', program: 'codex' },
  { name: 'opencode', package: 'opencode-ai', version: '1.18.18', program: 'opencode' },
  { name: 'gemini', package: '@google/gemini-cli', version: '0.61.0', program: 'gemini' },
  { name: 'qwen', package: '@qwen-code/qwen-code', version: '0.15.10', program: 'qwen' },
  { name: 'pi', package: '@mariozechner/pi-coding-agent', version: '0.73.1', program: 'pi' },
  { name: 'copilot', package: '@github/copilot', version: '1.0.102', program: 'copilot' },
  { name: 'kimi', package: '@moonshot-ai/kimi-code', version: '2.1.0', program: 'kimi', oldestNode: 22 },
  // A second version of the same agent, which the config of its tests pins.
  { name: 'claude-code', package: '@anthropic-ai/claude-code', version: '2.0.76', program: 'claude', isPinned: true },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, 'install-only': { type: 'boolean' }, record: { type: 'boolean' } },
});
const cache = process.env.ASSAY_AGENTS_CACHE ?? join(cacheFolder(), 'assay-agents');
const installed = [];
for (const agent of chosen(values.only)) {
  const { name, version, isPinned = false } = agent;
  const cached = cachedAgent(agent);
  const problem = cached.leftOutBecause();
  if (problem !== undefined) console.log(`Left out: ${name} ${version}: ${problem}`);
  else installed.push({ name, version, ...(isPinned ? { cache: pinnedCache() } : { bin: cached.bin }) });
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

function cachedAgent({ name, version, package: packageName, program, oldestNode, isPinned }) {
  const spec = { name, version, packages: { [packageName]: version }, oldestNode, probe: [program, '--version'] };
  return isPinned
    ? new CachedPackage('', { ...spec, folder: `${name}-${version}` }, join(pinnedCache(), 'assay', 'agents'))
    : new CachedPackage('', spec, cache);
}

/** A cache folder of its own, in which Assay finds the versions that a config pins. */
function pinnedCache() {
  return join(cache, 'pinned');
}
