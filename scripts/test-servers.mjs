import { join } from 'node:path';
import { CachedPackage } from './cached-packages.mjs';
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
      [`${mcp}/conformance`]: '0.1.16',
    },
  },
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

const folders = {};
for (const server of servers) {
  const cached = new CachedPackage('assay-servers', server, process.env.ASSAY_SERVERS_CACHE);
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
