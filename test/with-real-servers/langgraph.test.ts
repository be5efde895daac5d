import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';
import { freePort, installedServer, listening } from './installed-servers.ts';

const installed = installedServer('langgraph');
const graph = fileURLToPath(new URL('./langgraph/graph.mjs', import.meta.url));

const connector = (url: string): string =>
  `connector: { type: langgraph, baseUrl: "${url}", config: { assistantId: agent } }`;

/** The Booking Flow of examples/booking-agent, without its judge. */
const bookingFlow = (url: string): string => `name: Booking Flow
${connector(url)}
messages: [{ role: user, content: I need an appointment on Monday afternoon. }]
evaluators:
  - { type: latency-budget, config: { maxMs: 30000 } }
  - { type: regex, config: { pattern: 'BK-\\d{5}', mustMatch: true } }
  - { type: tool-order, config: { tools: [find_slots, book_slot], order: exact } }
  - { type: tool-call-count }
  - { type: token-usage, config: { track: total } }
`;

const secondTurn = (url: string): string => `name: Second turn
${connector(url)}
userMessages: [I need an appointment on Monday., What did I ask first?]
evaluators:
  - { type: contains, config: { text: "You asked first: I need an appointment on Monday." } }
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

  it('gives the result of the booking flow', async () => {
    const project = await temporaryFolder({ 's.yaml': bookingFlow(server.url) });
    const run = await assay(['run', 's.yaml', '--json'], { cwd: project });
    const [trial] = JSON.parse(run.stdout).trials;
    expect(trial).toMatchObject({ outcome: 'pass', metrics: { 'tool-call-count': 2, 'token-usage': 856 } });
    expect(run.exitCode).toBe(0);
  });

  it('keeps its thread between turns', async () => {
    const project = await temporaryFolder({ 's.yaml': secondTurn(server.url) });
    const run = await assay(['run', 's.yaml', '--json'], { cwd: project });
    expect(JSON.parse(run.stdout).trials[0]).toMatchObject({ outcome: 'pass', evaluatorResults: [{ turn: 2 }] });
  });

  it('is blamed for an assistant that it does not have', async () => {
    const text = bookingFlow(server.url).replace('assistantId: agent', 'assistantId: nobody');
    const project = await temporaryFolder({ 's.yaml': text });
    const run = await assay(['run', 's.yaml', '--json'], { cwd: project });
    expect(run.exitCode).toBe(3);
    expect(JSON.parse(run.stdout).trials[0]).toMatchObject({ outcome: 'error', fault: { blame: 'target' } });
  });
});
