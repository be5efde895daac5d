import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assay } from '../support/assay.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { freePort, installedServer, listening } from './installed-servers.ts';

const installed = installedServer('langgraph');
const graph = fileURLToPath(new URL('./langgraph/graph.mjs', import.meta.url));

const scenario = (url: string): string => `name: Weather
connector: { type: langgraph, baseUrl: "${url}", config: { assistantId: agent } }
userMessages: [What is the weather in Paris?, What did I ask first?]
evaluators:
  - { type: contains, config: { text: 21 degrees } }
  - { type: contains, config: { text: "You asked first: What is the weather in Paris?" } }
  - { type: tool-call-budget, config: { maxCalls: 1 } }
  - { type: tool-call-count }
  - { type: token-usage }
`;

describe.skipIf(installed === undefined)('an agent behind a real LangGraph server', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof listening>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-langgraph-'));
    await writeFiles(folder, {
      'langgraph.json': JSON.stringify({ node_version: '20', graphs: { agent: './graph.mjs:graph' }, env: {} }),
      'package.json': '{"type":"module"}',
    });
    await copyFile(graph, join(folder, 'graph.mjs'));
    await symlink(join(installed ?? '', 'node_modules'), join(folder, 'node_modules'));
    const port = await freePort();
    const program = join(installed ?? '', 'node_modules', '.bin', 'langgraphjs');
    server = await listening([program, 'dev', '--no-browser', '--host', '127.0.0.1', '--port', String(port)], '/info', {
      port,
      cwd: folder,
      env: { LANGSMITH_TRACING: 'false' },
    });
  });

  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps its thread between turns, and tells tool calls and tokens', async () => {
    const project = await temporaryFolder({ 's.yaml': scenario(server.url) });
    const run = await assay(['run', 's.yaml', '--json'], { cwd: project });
    const [trial] = JSON.parse(run.stdout).trials;
    expect(trial).toMatchObject({ outcome: 'pass', metrics: { 'tool-call-count': 1, 'token-usage': 36 } });
    expect(run.exitCode).toBe(0);
  });

  it('is blamed for an assistant that it does not have', async () => {
    const text = scenario(server.url).replace('assistantId: agent', 'assistantId: nobody');
    const project = await temporaryFolder({ 's.yaml': text });
    const run = await assay(['run', 's.yaml', '--json'], { cwd: project });
    expect(run.exitCode).toBe(3);
    expect(JSON.parse(run.stdout).trials[0]).toMatchObject({ outcome: 'error', fault: { blame: 'target' } });
  });
});
