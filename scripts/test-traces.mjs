import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CachedPackage, cacheFolder } from './cached-packages.mjs';
import { nodePackages, unpackPinned } from './release/pinned-packages.mjs';
import { build, install, root, step } from './steps.mjs';

const otel = {
  '@opentelemetry/api': '1.9.0',
  '@opentelemetry/exporter-trace-otlp-proto': '0.223.0',
  '@opentelemetry/resources': '2.12.0',
  '@opentelemetry/sdk-trace-node': '2.12.0',
};
const olderOtel = {
  ...otel,
  '@opentelemetry/exporter-trace-otlp-http': '0.219.0',
  '@opentelemetry/exporter-trace-otlp-proto': '0.219.0',
  '@opentelemetry/resources': '2.8.0',
  '@opentelemetry/sdk-trace-node': '2.8.0',
};
const openinference = '@arizeai/openinference-instrumentation';

const libraries = [
  { name: 'vercel-ai-5', packages: { ai: '5.0.277', '@ai-sdk/openai': '2.0.131', zod: '4.6.7', ...otel } },
  { name: 'vercel-ai-6', packages: { ai: '6.0.326', '@ai-sdk/openai': '3.0.139', zod: '4.6.7', ...otel } },
  {
    name: 'vercel-ai-7',
    packages: { ai: '7.0.169', '@ai-sdk/openai': '4.0.114', '@ai-sdk/otel': '1.0.169', zod: '4.6.7', ...otel },
    oldestNode: 22,
  },
  { name: 'openinference-openai', packages: { [`${openinference}-openai`]: '4.2.7', openai: '6.49.0', ...otel } },
  {
    name: 'openinference-anthropic',
    packages: { [`${openinference}-anthropic`]: '0.2.8', '@anthropic-ai/sdk': '1.8.0', ...otel },
  },
  {
    name: 'openinference-langgraph',
    packages: {
      [`${openinference}-langchain`]: '4.1.1',
      '@langchain/core': '1.2.13',
      '@langchain/langgraph': '1.4.18',
      '@langchain/openai': '1.2.13',
      ...otel,
    },
  },
  {
    name: 'openai-agents',
    packages: { '@openai/agents': '0.20.0', [`${openinference}-openai-agents`]: '0.2.15', zod: '4.6.7', ...otel },
    oldestNode: 22,
  },
  {
    name: 'opentelemetry-openai',
    packages: {
      '@opentelemetry/instrumentation-openai': '0.21.0',
      '@opentelemetry/exporter-logs-otlp-proto': '0.223.0',
      '@opentelemetry/instrumentation': '0.223.0',
      '@opentelemetry/sdk-logs': '0.223.0',
      openai: '6.49.0',
      ...otel,
    },
  },
  { name: 'openllmetry', packages: { '@traceloop/node-server-sdk': '0.27.0', openai: '6.49.0' } },
  {
    name: 'mastra',
    packages: {
      '@mastra/core': '1.71.0',
      '@mastra/observability': '1.17.9',
      '@mastra/otel-exporter': '1.4.0',
      '@ai-sdk/openai': '3.0.139',
      '@opentelemetry/exporter-logs-otlp-proto': '0.218.0',
      '@opentelemetry/exporter-trace-otlp-proto': '0.218.0',
      zod: '4.6.7',
    },
    oldestNode: 22,
  },
  {
    name: 'strands',
    packages: { '@strands-agents/sdk': '1.19.0', openai: '6.49.0', zod: '4.6.7', ...olderOtel },
    oldestNode: 22,
  },
];

const cache = process.env.ASSAY_TRACES_CACHE ?? join(cacheFolder(), 'assay-traces');
const installed = {};
let newerNode;
for (const { name, packages, oldestNode = 0 } of libraries) {
  const version = packages[Object.keys(packages)[0]];
  const cached = new CachedPackage('', { name, version, packages }, cache);
  const node = nodeFor(oldestNode);
  const problem = node === undefined ? `it needs Node.js ${oldestNode}` : cached.leftOutBecause();
  if (problem === undefined) installed[name] = { folder: cached.folder, node };
  else console.log(`Left out: ${name} ${version}: ${problem}`);
}
if (Object.keys(installed).length === 0) {
  console.error('There is no library to test with.');
  process.exit(1);
}
console.log(`Libraries: ${Object.keys(installed).join(', ')}`);

install();
build();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
step(process.execPath, [vitest, 'run', '--config', 'vitest.traces.config.ts', ...process.argv.slice(2)], {
  env: { ...process.env, ASSAY_TEST_LIBRARIES: JSON.stringify(installed) },
});

/** This Node.js, or on Linux the one of the standalone executables where a library needs a newer one. */
function nodeFor(oldest) {
  if (Number(process.versions.node.split('.')[0]) >= oldest) return process.execPath;
  const pinned = process.platform === 'linux' ? nodePackages[process.arch] : undefined;
  if (pinned === undefined) return undefined;
  mkdirSync(cache, { recursive: true });
  newerNode ??= join(unpackPinned(pinned, cache), 'bin', 'node');
  return newerNode;
}
