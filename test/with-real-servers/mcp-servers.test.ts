import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { freePort, installedServer, listening, mcpProgram } from './installed-servers.ts';

const installed = installedServer('mcp-servers');

const everythingTests = [
  { name: 'get-sum', args: { a: 2, b: 40 }, expectedResult: '42', maxLatency: 5_000 },
  { name: 'echo', args: { message: 'Hello' }, expectedResult: 'echo: hello' },
  { name: 'get-structured-content', args: { location: 'Chicago' }, expectedResult: { humidity: 82 }, match: 'subset' },
  { name: 'get-sum', description: 'refuses text', args: { a: 'two', b: 1 }, expectedError: 'number' },
  { name: 'get-tiny-image', args: {} },
];

const everythingSuites = {
  toolHealthSuites: [
    { name: 'Tools', tests: everythingTests },
    { name: 'Side by side', parallel: true, tests: everythingTests },
  ],
  resourceSuites: [
    {
      name: 'Resources',
      discoveryTests: [{ name: 'has documents', expectedCount: { min: 5, max: 20 } }],
      tests: [
        {
          name: 'architecture',
          uri: 'demo://resource/static/document/architecture.md',
          expectedMimeType: 'text/markdown',
          expectedContent: 'Everything Server',
        },
      ],
    },
  ],
  promptSuites: [
    {
      name: 'Prompts',
      discoveryTests: [{ name: 'has prompts', expectedPrompts: ['simple-prompt', 'args-prompt'] }],
      tests: [{ name: 'args-prompt', args: { city: 'Paris' }, expectedContent: ['Paris'] }],
    },
  ],
};

async function run(config: object, files: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder({ 'config.json': JSON.stringify(config), ...files });
  const result = await assay(['eval', 'config.json', '--json'], { cwd: folder });
  return { ...result, document: result.stdout === '' ? undefined : JSON.parse(result.stdout) };
}

/** What failed, for a message that says so. */
function failures(document: { trials: { outcome: string; reason: string }[] } | undefined): string[] {
  return (document?.trials ?? []).flatMap(({ outcome, reason }) =>
    outcome === 'pass' ? [] : [`${outcome}: ${reason}`],
  );
}

describe.skipIf(installed === undefined)("MCP's own servers", () => {
  it('server-everything passes its suites over stdio', async () => {
    const server = { transport: 'stdio', command: 'node', args: [mcpProgram('everything')] };
    const { document, exitCode, stderr } = await run({ server, ...everythingSuites });
    expect({ failed: failures(document), stderr: exitCode === 2 ? stderr : '' }).toEqual({ failed: [], stderr: '' });
    expect(document.totals).toMatchObject({ planned: 4, pass: 4 });
    expect(exitCode).toBe(0);
  });

  it('server-everything passes them over streamable HTTP', async () => {
    const port = await freePort();
    await using http = await listening([process.execPath, mcpProgram('everything'), 'streamableHttp'], '/mcp', {
      port,
    });
    const { document, exitCode } = await run({
      server: { transport: 'shttp', url: `${http.url}/mcp` },
      ...everythingSuites,
    });
    expect(failures(document)).toEqual([]);
    expect(exitCode).toBe(0);
  });

  it('server-everything passes them over SSE', async () => {
    const port = await freePort();
    await using sse = await listening([process.execPath, mcpProgram('everything'), 'sse'], '/sse', { port });
    const { document, exitCode } = await run({
      server: { transport: 'sse', url: `${sse.url}/sse` },
      ...everythingSuites,
    });
    expect(failures(document)).toEqual([]);
    expect(exitCode).toBe(0);
  });

  it('server-filesystem passes a suite whose tests build on each other', async () => {
    const folder = await temporaryFolder({ 'notes/first.txt': 'hello' });
    const tests = [
      { name: 'list_directory', args: { path: `${folder}/notes` }, expectedResult: { content: '[FILE] first.txt' } },
      { name: 'write_file', args: { path: `${folder}/notes/second.txt`, content: 'two' } },
      { name: 'read_text_file', args: { path: `${folder}/notes/second.txt` }, expectedResult: { content: 'two' } },
      { name: 'read_text_file', args: { path: '/etc/passwd' }, expectedError: 'access denied' },
    ];
    const server = { transport: 'stdio', command: 'node', args: [mcpProgram('filesystem'), folder] };
    const { document, exitCode } = await run({ server, toolHealthSuites: [{ name: 'Files', tests }] });
    expect(failures(document)).toEqual([]);
    expect(document.trials[0].toolHealth).toHaveLength(4);
    expect(exitCode).toBe(0);
  });

  it('server-memory passes a suite, in a memory of its own', async () => {
    const ada = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };
    const tests = [
      { name: 'create_entities', args: { entities: [ada] }, expectedResult: { entities: [ada] } },
      { name: 'search_nodes', args: { query: 'programs' }, expectedResult: { entities: [ada], relations: [] } },
      { name: 'delete_entities', args: { entityNames: ['Ada'] } },
      { name: 'read_graph', args: {}, expectedResult: { entities: [], relations: [] } },
    ];
    const folder = await temporaryFolder();
    const env = { MEMORY_FILE_PATH: `${folder}/memory.json` };
    const server = { transport: 'stdio', command: 'node', args: [mcpProgram('memory')], env };
    const { document, exitCode } = await run({ server, toolHealthSuites: [{ name: 'Memory', tests }] });
    expect(failures(document)).toEqual([]);
    expect(exitCode).toBe(0);
  });

  it('server-sequential-thinking passes a suite', async () => {
    const thought = { thought: 'Begin', thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true };
    const tests = [
      {
        name: 'sequentialthinking',
        args: thought,
        expectedResult: { thoughtNumber: 1, totalThoughts: 2 },
        match: 'subset',
      },
      { name: 'sequentialthinking', args: {}, expectedError: 'thought' },
    ];
    const server = { transport: 'stdio', command: 'node', args: [mcpProgram('sequential-thinking')] };
    const { document, exitCode } = await run({ server, toolHealthSuites: [{ name: 'Thinking', tests }] });
    expect(failures(document)).toEqual([]);
    expect(exitCode).toBe(0);
  });
});

describe.skipIf(installed === undefined)('servers of others', () => {
  const program = (path: string) => join(installed ?? '', 'node_modules', path);

  it('mcp-hello-world passes its suites', async () => {
    const server = { transport: 'stdio', command: 'node', args: [program('mcp-hello-world/build/stdio.js')] };
    const tests = [
      { name: 'add', args: { a: 2, b: 40 }, expectedResult: '42' },
      { name: 'echo', args: { message: 'world' }, expectedResult: 'you said: world' },
      { name: 'add', args: { a: 'two', b: 1 }, expectedError: 'number' },
    ];
    const { document, exitCode } = await run({ server, toolHealthSuites: [{ name: 'Hello', tests }] });
    expect(failures(document)).toEqual([]);
    expect(exitCode).toBe(0);
  });

  it('time-mcp passes its suite', async () => {
    const server = { transport: 'stdio', command: 'node', args: [program('time-mcp/dist/index.js')] };
    const tests = [
      { name: 'current_time', args: { format: 'YYYY-MM-DD', timezone: 'UTC' }, expectedResult: 'UTC' },
      { name: 'relative_time', args: {}, expectedError: 'time' },
    ];
    const { document, exitCode } = await run({ server, toolHealthSuites: [{ name: 'Time', tests }] });
    expect(failures(document)).toEqual([]);
    expect(exitCode).toBe(0);
  });
});

describe.skipIf(installed === undefined)('assay mcp check', () => {
  it.each(['everything', 'filesystem', 'memory'] as const)('gives a report on server-%s', async (name) => {
    const folder = await temporaryFolder({ 'notes/first.txt': 'hello' });
    const args = name === 'filesystem' ? [folder] : [];
    const command = ['--json', '--fail-on', 'never', '--', 'node', mcpProgram(name), ...args];
    const result = await assay(['mcp-check', ...command], {
      cwd: folder,
      env: { MEMORY_FILE_PATH: `${folder}/m.json` },
    });
    expect(result.exitCode).toBe(0);
    const report = JSON.parse(result.stdout);
    expect(report.schema).toBe('assay.mcp-check/1');
    expect(report.tools.length).toBeGreaterThan(8);
    const errors = report.problems.filter(({ severity }: { severity: string }) => severity === 'error');
    expect(errors).toEqual([]);
  });
});
