import { describe, expect, it } from 'vitest';
import type { ToolHealthEntry } from '../../../domain/mcp-findings.ts';
import type { TraceEvent } from '../../../domain/trace.ts';
import { type ServedProject, serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
import type { McpServers } from '../api/system.ts';
import type { DefinitionHistory } from '../api/workbench.ts';

const stamp = { at: 1, seenBy: 'engine' as const };

async function addRun(
  { context }: ServedProject,
  runId: string,
  startedAt: number,
  pins: Readonly<Record<string, string>> | null,
  health: readonly Pick<ToolHealthEntry, 'toolName' | 'state'>[],
  definitions: Readonly<Record<string, Record<string, unknown>>> = {},
  events: readonly TraceEvent[] = [],
): Promise<void> {
  await context.store.createRun(runHeader(runId, { startedAt, status: 'finished', finishedAt: startedAt + 1 }));
  const { record } = finishedTrial(runId, 0, { scenario: 'suite', startedAt });
  const tools = Object.entries(pins ?? {}).map(([name, sha256]) => ({
    name,
    sha256,
    definition: definitions[name],
  }));
  const facts = {
    label: 'node server.mjs',
    name: 'calc',
    version: '1',
    protocolVersion: '2025-06-18',
    transport: 'stdio' as const,
  };
  const trace: TraceEvent[] = [
    { type: 'mcp-server', ...stamp, ...facts, tools },
    { type: 'tool-call', ...stamp, callId: '1', tool: 'add', input: {} },
    { type: 'tool-result', ...stamp, callId: '1', durationMs: 5, result: 3 },
    { type: 'tool-call', ...stamp, callId: '2', tool: 'add', input: {} },
    { type: 'tool-result', ...stamp, callId: '2', durationMs: 9, error: { message: 'no' } },
    ...events,
  ];
  const toolHealth = health.map((entry) => ({
    testName: 't',
    kind: 'tool' as const,
    passed: entry.state === 'pass',
    score: 1,
    latency: 1,
    totalLatency: 1,
    details: '',
    retryCount: 0,
    ...entry,
  }));
  await context.store.saveTrials([
    { trace: pins ? trace : [], record: { ...record, toolPins: pins && { ...pins }, toolHealth } },
  ]);
}

describe('MCP servers', () => {
  it('are known from the newest runs, with what changed since the run before', async () => {
    await using served = await serveFiles();
    await addRun(served, 'r-1', 1_000, { add: 'a1', sub: 's1', old: 'o1' }, [
      { toolName: 'add', state: 'pass' },
      { toolName: 'sub', state: 'fail' },
    ]);
    await addRun(served, 'r-2', 2_000, { add: 'a2', sub: 's1', mul: 'm1' }, []);
    const { servers, runsLookedAt } = await served.get<McpServers>('/api/mcp');
    expect(runsLookedAt).toBe(2);
    expect(servers).toHaveLength(1);
    expect(servers[0]).toMatchObject({
      label: 'node server.mjs',
      name: 'calc',
      lastRunId: 'r-2',
      health: { passed: 1, failed: 1, error: 0 },
      coverage: { tested: 2, tools: 3 },
    });
    expect(servers[0]?.tools.map(({ name, pin }) => [name, pin])).toEqual([
      ['add', 'changed'],
      ['sub', 'same'],
      ['mul', 'new'],
      ['old', 'gone'],
    ]);
    expect(servers[0]?.tools[0]).toMatchObject({ calls: 4, errors: 2, tests: 1, testsPassed: 1, medianMs: 5 });
  });

  it('have a history of definitions, with both texts where they were kept', async () => {
    await using served = await serveFiles();
    const add = (description: string) => ({ add: { name: 'add', description } });
    await addRun(served, 'r-1', 1_000, { add: 'a1', old: 'o1' }, [], add('Adds.'));
    await addRun(served, 'r-2', 2_000, { add: 'a1', old: 'o1' }, [], add('Adds.'));
    await addRun(served, 'r-3', 3_000, { add: 'a2' }, [], add('Adds two numbers.'));
    const { versions } = await served.get<DefinitionHistory>('/api/mcp/definitions?label=node%20server.mjs');
    expect(versions).toMatchObject([
      {
        runId: 'r-3',
        changes: [
          {
            tool: 'add',
            kind: 'changed',
            fields: ['description'],
            before: { description: 'Adds.' },
            after: { description: 'Adds two numbers.' },
          },
          { tool: 'old', kind: 'removed', before: null, after: null },
        ],
      },
      { runId: 'r-1', isFirst: true, changes: [] },
    ]);
    const { servers } = await served.get<McpServers>('/api/mcp');
    expect(servers[0]?.tools[0]?.description).toBe('Adds two numbers.');
    expect(await served.get('/api/mcp/definitions?label=nothing')).toMatchObject({ versions: [] });
  });

  it('are reported as broken when they did not start in the newest run', async () => {
    await using served = await serveFiles();
    await addRun(served, 'r-1', 1_000, { add: 'a1' }, [{ toolName: 'add', state: 'pass' }]);
    await addRun(served, 'r-2', 2_000, null, [{ toolName: 'add', state: 'error' }]);
    const { servers } = await served.get<McpServers>('/api/mcp');
    expect(servers).toMatchObject([
      { name: 'calc', lastRunId: 'r-2', health: { passed: 0, failed: 0, error: 1 }, tools: [{ name: 'add' }] },
    ]);
  });

  it('count an error that a passed test expected apart from others', async () => {
    const decided = { type: 'mcp-test', ...stamp, index: 0, kind: 'tool', name: 't', callId: '2' } as const;
    const test = { ...decided, attempts: 1, latencyMs: 9, totalMs: 9, timedOut: false, fault: null };
    await using served = await serveFiles();
    await addRun(served, 'r-1', 1_000, { add: 'a1' }, [{ toolName: 'add', state: 'pass' }], {}, [test]);
    expect((await served.get<McpServers>('/api/mcp')).servers[0]?.tools).toMatchObject([
      { calls: 2, errors: 0, expectedErrors: 1 },
    ]);
    await addRun(served, 'r-2', 2_000, { add: 'a1' }, [{ toolName: 'add', state: 'fail' }], {}, [test]);
    expect((await served.get<McpServers>('/api/mcp')).servers[0]?.tools).toMatchObject([
      { calls: 4, errors: 1, expectedErrors: 1 },
    ]);
  });

  it('are known from scenarios that give them to agents', async () => {
    const task = { name: 'n', target: { binary: 'cat' }, task: { prompt: 'p' }, evaluation: { gates: [] } };
    const scenario = { ...task, mcp_servers: { notes: { command: 'node' } } };
    await using served = await serveFiles({ 'task.json': JSON.stringify(scenario) });
    const { servers } = await served.get<McpServers>('/api/mcp');
    expect(servers).toMatchObject([{ label: 'notes', transport: 'stdio', file: 'task.json', connectFile: null }]);
  });

  it('are known from scenario files before anything was run', async () => {
    const config = {
      server: { transport: 'stdio', command: 'node', args: ['server.mjs'] },
      toolHealthSuites: [{ name: 's', tests: [{ name: 'add', args: {} }] }],
    };
    await using served = await serveFiles({ 'server.json': JSON.stringify(config), 'server.mjs': '' });
    const { servers } = await served.get<McpServers>('/api/mcp');
    expect(servers).toMatchObject([
      { label: 'node server.mjs', transport: 'stdio', file: 'server.json', lastRunId: null, tools: [] },
    ]);
  });
});
