import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assay, programPath } from '../../src/testing/support/assay.ts';
import { writeCalls } from '../../src/testing/support/direct-calls.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { freePort, installedServer, listening } from './installed-servers.ts';

const installed = installedServer('mcp-servers');
const python = installedServer('mcp-python');
const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const sdk1 = [fileOf('sdk-servers/sdk1-server.mjs'), installed ?? ''];
const sdk2 = (eras: string) => [fileOf('../../src/testing/support/sdk2-server.mjs'), eras];
const pythonServer = fileOf('sdk-servers/python_server.py');

const tests = [
  { name: 'add', args: { a: 2, b: 40 }, expectedResult: { sum: 42 } },
  { name: 'add', args: { a: 'two', b: 1 }, expectedError: 'number' },
  { name: 'fail', args: {}, expectedError: 'it did not work' },
];
const suites = {
  toolHealthSuites: [
    { name: 'Tools', tests },
    { name: 'Side by side', parallel: true, tests },
  ],
  resourceSuites: [
    {
      name: 'Resources',
      tests: [{ name: 'note', uri: 'note://first', expectedMimeType: 'text/plain', expectedContent: 'first note' }],
    },
  ],
  promptSuites: [
    { name: 'Prompts', tests: [{ name: 'greet', args: { name: 'Ada' }, expectedContent: ['Greet Ada'] }] },
  ],
};

async function failuresOf(server: object): Promise<unknown> {
  const cwd = await temporaryFolder({ 'config.json': JSON.stringify({ server, ...suites }) });
  const { stdout, stderr, exitCode } = await assay(['eval', 'config.json', '--json'], { cwd });
  if (stdout === '') return stderr;
  const { trials, totals } = JSON.parse(stdout) as {
    trials: { outcome: string; reason: string }[];
    totals: { planned: number; pass: number };
  };
  expect(totals.planned).toBe(4);
  const failed = trials
    .filter(({ outcome }) => outcome !== 'pass')
    .map(({ outcome, reason }) => `${outcome}: ${reason}`);
  return exitCode === 0 || failed.length > 0 ? failed : stderr;
}

const stdioServers = [
  { name: 'SDK 1.x', command: 'node', args: sdk1, protocol: 'auto' },
  { name: 'SDK 2.x with sessions', command: 'node', args: sdk2('legacy'), protocol: 'auto' },
  { name: 'SDK 2.x without sessions', command: 'node', args: sdk2('modern'), protocol: 'auto' },
  { name: 'SDK 2.x with both, as legacy', command: 'node', args: sdk2('both'), protocol: 'legacy' },
  { name: 'SDK 2.x with both, as modern', command: 'node', args: sdk2('both'), protocol: 'modern' },
];

describe.skipIf(installed === undefined)('servers built with the official SDKs pass their suites', () => {
  it.each(stdioServers)('over stdio: $name', async ({ command, args, protocol }) => {
    expect(await failuresOf({ transport: 'stdio', command, args, protocol })).toEqual([]);
  });

  it.each([
    { name: 'SDK 1.x', args: sdk1 },
    { name: 'SDK 2.x', args: sdk2('both') },
  ])('over HTTP: $name', async ({ args }) => {
    const port = await freePort();
    const argv = [process.execPath, ...args, String(port)] as [string, ...string[]];
    await using http = await listening(argv, '/mcp', { port });
    expect(await failuresOf({ transport: 'shttp', url: `${http.url}/mcp` })).toEqual([]);
  });
});

describe.skipIf(python === undefined)("servers built with Python's official SDK pass their suites", () => {
  const command = join(python ?? '', 'bin', 'python');

  it.each(['legacy', 'modern'])('over stdio: %s', async (protocol) => {
    expect(await failuresOf({ transport: 'stdio', command, args: [pythonServer], protocol })).toEqual([]);
  });

  it('over HTTP', async () => {
    const port = await freePort();
    await using http = await listening([command, pythonServer, String(port)], '/mcp', { port });
    expect(await failuresOf({ transport: 'shttp', url: `${http.url}/mcp` })).toEqual([]);
  });
});

describe.skipIf(installed === undefined)('the client of SDK 1.x', () => {
  it('uses assay mcp', async () => {
    const { resolve } = createRequire(join(installed ?? '', 'package.json'));
    const load = (name: string) => import(pathToFileURL(resolve(`@modelcontextprotocol/sdk/client/${name}`)).href);
    const [{ Client }, { StdioClientTransport }] = await Promise.all([load('index.js'), load('stdio.js')]);
    const client = new Client({ name: 'old', version: '1' });
    onTestFinished(() => client.close());
    const cwd = await temporaryFolder();
    await writeCalls(cwd, { echo: { call: { command: 'cat' }, input: { value: 1 } } });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [programPath, 'mcp'], cwd }));
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(7);
    const progress: number[] = [];
    const onprogress = (report: { progress: number }) => progress.push(report.progress);
    const ran = await client.callTool({ name: 'run', arguments: {} }, undefined, { onprogress });
    expect(ran).not.toMatchObject({ isError: true });
    expect(ran.structuredContent).toMatchObject({ run: { outcome: 'pass' } });
    expect(progress).toEqual([0, 1]);
  });
});
