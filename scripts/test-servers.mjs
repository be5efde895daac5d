import { join } from 'node:path';
import { CachedPackage, CachedPythonPackage } from './cached-packages.mjs';
import { build, install, root, step } from './steps.mjs';

const mcp = '@modelcontextprotocol';
const servers = [
  {
    name: 'mcp-servers',
    version: '2026.8.31',
    packages: {
      [`${mcp}/server-everything`]: '2026.8.31',
      [`${mcp}/server-filesystem`]: '2026.8.31',
      [`${mcp}/server-memory`]: '2026.8.31',
      [`${mcp}/server-sequential-thinking`]: '2026.8.31',
      [`${mcp}/conformance`]: '0.1.16',
      [`${mcp}/sdk`]: '1.32.2',
      'mcp-hello-world': '1.1.2',
      'time-mcp': '1.0.6',
      zod: '4.3.6',
    },
    folder: 'mcp-servers@2026.8.31-sdk-1.32.2',
  },
  { name: 'conformance', version: '0.2.0-alpha.12', packages: { [`${mcp}/conformance`]: '0.2.0-alpha.12' } },
  {
    name: 'langgraph',
    version: '2.0.0',
    packages: {
      '@langchain/langgraph-cli': '2.0.0',
      '@langchain/langgraph': '1.4.18',
      '@langchain/core': '1.2.13',
    },
    probe: ['langgraphjs', '--help'],
  },
];

const pythonServers = [{ name: 'mcp-python', version: '2.3.0', packages: ['mcp==2.3.0'] }];

/** Where the registry is slow, the rest is tested without what does not arrive within this time. */
const installMs = 180_000;

const folders = {};
const override = process.env.ASSAY_SERVERS_CACHE;
for (const server of [...servers, ...pythonServers]) {
  const Kind = pythonServers.includes(server) ? CachedPythonPackage : CachedPackage;
  const cached = new Kind('assay-servers', { installMs, ...server }, override);
  const problem = cached.leftOutBecause();
  if (problem === undefined) folders[server.name] = cached.folder;
  else console.log(`Left out: ${server.name} ${server.version}: ${problem}`);
}
if (Object.keys(folders).length === 0) {
  console.error('There is no server to test with.');
  process.exit(1);
}
console.log(`Servers: ${Object.keys(folders).join(', ')}`);

install();
build();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
step(process.execPath, [vitest, 'run', '--config', 'vitest.servers.config.ts', ...process.argv.slice(2)], {
  env: { ...process.env, ASSAY_TEST_SERVERS: JSON.stringify(folders) },
});
