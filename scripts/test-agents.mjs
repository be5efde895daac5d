import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
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
];

const { values } = parseArgs({ options: { only: { type: 'string' }, 'install-only': { type: 'boolean' } } });
const installed = {};
for (const agent of chosen(values.only)) {
  const problem = leftOutBecause(agent);
  if (problem === undefined) installed[agent.name] = { version: agent.version, bin: binOf(agent) };
  else console.log(`Left out: ${agent.name} ${agent.version}: ${problem}`);
}
if (Object.keys(installed).length === 0) {
  console.error('There is no agent to test.');
  process.exit(1);
}
console.log(
  `Agents: ${Object.entries(installed)
    .map(([name, { version }]) => `${name} ${version}`)
    .join(', ')}`,
);
if (values['install-only']) process.exit(0);

install();
build();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
step(process.execPath, [vitest, 'run', '--config', 'vitest.agents.config.ts'], {
  env: { ...process.env, ASSAY_TEST_AGENTS: JSON.stringify(installed) },
});

function chosen(only) {
  if (only === undefined) return agents;
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !agents.some((agent) => agent.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(', ')}. There are ${agents.map(({ name }) => name).join(', ')}.`);
    process.exit(2);
  }
  return agents.filter(({ name }) => names.includes(name));
}

/** Installs an agent that is missing; returns why it cannot be had. */
function leftOutBecause(agent) {
  const node = Number(process.versions.node.split('.')[0]);
  if (node < (agent.oldestNode ?? 0)) return `it needs Node.js ${agent.oldestNode}, and this is ${node}`;
  const folder = folderOf(agent);
  if (existsSync(join(folder, '.installed'))) return undefined;
  console.log(`Installing ${agent.name} ${agent.version} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, dependencies: { [agent.package]: agent.version } };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const problem =
    failureOf('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error'], folder) ??
    failureOf(join(binOf(agent), agent.program), ['--version'], folder);
  if (problem === undefined) writeFileSync(join(folder, '.installed'), '');
  return problem;
}

function failureOf(program, args, cwd) {
  const { status, signal, error, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    timeout: 900_000,
    // Nothing of it belongs into the home of whoever runs the tests.
    env: program === 'npm' ? process.env : { ...process.env, HOME: cwd },
  });
  if (status === 0) return undefined;
  const said =
    stderr?.trim().split('\n').slice(0, 3).join(' ') || error?.message || `it ended with ${signal ?? status}`;
  return `${program} ${args.join(' ')}: ${said}`;
}

function binOf(agent) {
  return join(folderOf(agent), 'node_modules', '.bin');
}

function folderOf({ name, version }) {
  return join(process.env.ASSAY_AGENTS_CACHE ?? join(cacheFolder(), 'assay-agents'), `${name}@${version}`);
}

function cacheFolder() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME;
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  return join(homedir(), '.cache');
}
