import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CachedPackage, cacheFolder } from './cached-packages.mjs';

/** The real agents of the tests, each in one version. */
export const agents = [
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

const cache = process.env.ASSAY_AGENTS_CACHE ?? join(cacheFolder(), 'assay-agents');

/** The package of an agent in the cache. */
export function cachedAgent({ name, version, package: packageName, program, oldestNode, isPinned }) {
  const spec = { name, version, packages: { [packageName]: version }, oldestNode, probe: [program, '--version'] };
  return isPinned
    ? new CachedPackage('', { ...spec, folder: `${name}-${version}` }, join(pinnedCache(), 'assay', 'agents'))
    : new CachedPackage('', spec, cache);
}

/** The cache folder in which Assay finds the versions that a config pins. */
function pinnedCache() {
  return join(cache, 'pinned');
}

/** An agent as the tests take it, from the variable ASSAY_TEST_AGENTS. */
export function testedAgent(agent) {
  const { name, version, isPinned = false } = agent;
  return { name, version, ...(isPinned ? { cache: pinnedCache() } : { bin: cachedAgent(agent).bin }) };
}

/** Agents that were installed earlier; nothing is downloaded. */
export function agentsInCache() {
  return agents
    .filter((agent) => !agent.isPinned && existsSync(join(cachedAgent(agent).folder, '.installed')))
    .map(testedAgent);
}
