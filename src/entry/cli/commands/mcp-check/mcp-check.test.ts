import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedModel } from '../../../../drive/models/scripted/index.ts';
import { publicClient } from '../../../../testing/fakes/oauth/authorization-server.ts';
import { startProtectedServer } from '../../../../testing/fakes/oauth/protected-server.ts';
import { main } from '../../main.ts';

const fixture = fileURLToPath(new URL('../../../../mcp-check/fixtures/checked-server.mjs', import.meta.url));

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function assay(args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Ended> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const output = Promise.all([text(stdout), text(stderr)]);
  const exitCode = await main(['mcp-check', ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdin: process.stdin,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
  });
  stdout.end();
  stderr.end();
  const [printed, warned] = await output;
  return { exitCode, stdout: printed, stderr: warned };
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-mcp-check-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const server = (modes = 'good'): string[] => ['--', 'node', fixture, modes];

describe('exit codes', () => {
  it.each<[code: number, what: string, args: readonly string[]]>([
    [0, 'a good server', ['--calls', '1', ...server()]],
    [1, 'an error', ['--calls', '1', ...server('wrong-output')]],
    [0, 'an error that is not to count', ['--calls', '1', '--fail-on', 'never', ...server('wrong-output')]],
    [0, 'a warning', ['--calls', '1', ...server('large-output')]],
    [1, 'a warning that is to count', ['--calls', '1', '--fail-on', 'warning', ...server('large-output')]],
    [2, 'no server', []],
    [2, 'a tool to call that the server does not have', ['--call', 'sarch_notes', ...server()]],
    [0, 'a server that is offline', ['--calls', '1', ...server('offline,nothing-else')]],
    [3, 'a server that is offline, strictly', ['--strict', '--calls', '1', ...server('offline,nothing-else')]],
    [2, 'an unknown format', ['--format', 'pdf', ...server()]],
    [2, 'a definition that is not JSON', ['{"command":']],
    [2, 'a definition of nothing', ['{"transport":"carrier-pigeon"}']],
    [2, 'a baseline that is not there', ['--baseline', 'none.json', ...server()]],
    [2, 'a baseline that is to be written nowhere', ['--write-baseline', ...server()]],
    [2, 'a config that is not there', ['none.json']],
    [3, 'a server that does not start', ['--', 'node', '-e', 'process.exit(4)']],
    [3, 'an address where nothing listens', ['http://127.0.0.1:1/mcp']],
  ])('%i for %s', async (code, _what, args) => {
    const { exitCode, stderr } = await assay(args, await temporaryFolder());
    expect(exitCode, stderr).toBe(code);
  });
});

describe('reports', () => {
  it('print one JSON document and nothing else', async () => {
    const { stdout, stderr } = await assay(['--json', '--calls', '1', ...server()], await temporaryFolder());
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 'assay.mcp-check/1',
      totals: { error: 0, warning: 0, info: 0, notice: 0 },
    });
    expect(stderr).toBe('');
  });

  it('have what the definitions cost each kind of client', async () => {
    const folder = await temporaryFolder();
    const { stdout } = await assay(['--json', '--calls', '0', ...server()], folder);
    const { contextCost } = JSON.parse(stdout);
    expect(contextCost).toMatchObject({ tokenizer: 'estimate of o200k_base', error: expect.stringContaining('%') });
    const [anthropic, , , claudeCode] = contextCost.clients;
    expect(claudeCode.tokens).toBeGreaterThan(anthropic.tokens);
    const printed = await assay(['--calls', '0', ...server()], folder);
    expect(printed.stdout).toMatch(/tokens +anthropic +openai +gemini +claude-code/);
    expect(printed.stdout).toMatch(new RegExp(`in all +${anthropic.tokens.toLocaleString('en')} `));
  });

  it.each(['json', 'sarif', 'markdown', 'console'])('contain no raw escapes and directions as %s', async (format) => {
    const { stdout } = await assay(['--format', format, '--calls', '1', ...server('escapes')], await temporaryFolder());
    expect(stdout).toContain('hostile');
    expect(stdout).not.toMatch(/[\u001B\u202E]/);
  });

  it.each([
    ['report.sarif', '"version": "2.1.0"'],
    ['report.md', '# MCP check: thermometer'],
    ['report.json', '"schema": "assay.mcp-check/1"'],
  ])('go to a file in the format of its name, %s', async (name, content) => {
    const folder = await temporaryFolder();
    const { stdout } = await assay(['--calls', '0', '-o', name, ...server()], folder);
    expect(await readFile(join(folder, name), 'utf8')).toContain(content);
    expect(stdout).toContain('thermometer 1.2.3');
  });
});

describe('baselines', () => {
  it('are written, and shown to be the same or changed', async () => {
    const folder = await temporaryFolder();
    const options = ['--calls', '0', '--baseline', 'pins.json'];
    const written = await assay([...options, '--write-baseline', ...server()], folder);
    expect(written).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('pins.json was written') });
    const pins = JSON.parse(await readFile(join(folder, 'pins.json'), 'utf8'));
    expect(pins.tools.convert_temperature.definition.inputSchema.required).toEqual(['celsius']);
    const same = await assay([...options, ...server()], folder);
    expect(same).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('everything is as in pins.json') });
    const changed = await assay([...options, ...server('edited')], folder);
    expect(changed.exitCode).toBe(1);
    expect(changed.stdout).toContain('and is "Edited."');
  });

  it('that are something else are refused', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'pins.json'), '{"schema":"other"}');
    const { exitCode, stderr } = await assay(['--baseline', 'pins.json', ...server()], folder);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--write-baseline');
  });
});

describe('servers', () => {
  it('may be named by a config, whose tests give arguments', async () => {
    const folder = await temporaryFolder();
    const tests = [
      { name: 'convert_temperature', args: { celsius: 1, scale: 'kelvin' } },
      { name: 'search_notes', args: { text: '' }, expectedError: 'text' },
    ];
    const config = { server: { command: 'node', args: [fixture] }, toolHealthSuites: [{ name: 'all', tests }] };
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    const { stdout } = await assay(['--json', '--calls', '1', 'config.json'], folder);
    const { tools } = JSON.parse(stdout);
    expect(tools[0]).toMatchObject({ name: 'convert_temperature', ok: 1, arguments: { total: 2, tried: 2 } });
    expect(tools[1]).toMatchObject({ name: 'search_notes', ok: 1 });
  });

  it('may be named by a definition', async () => {
    const definition = JSON.stringify({ command: 'node', args: [fixture] });
    expect(await assay(['--calls', '0', definition], await temporaryFolder())).toMatchObject({ exitCode: 0 });
  });

  it('are not mistaken for configs', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'server.mjs'), 'process.exit(99);\n');
    const { exitCode, stderr } = await assay(['server.mjs'], folder);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('assay mcp check -- node server.mjs');
    await writeFile(
      join(folder, 'config.mjs'),
      `export default { server: { command: 'node', args: ['${fixture}'] } };`,
    );
    expect(await assay(['--calls', '0', 'config.mjs'], folder)).toMatchObject({ exitCode: 0 });
  });

  it('are reported with their place where they are wrong in a config', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'config.json'), '{\n  "server": { "command": "node", "arg": [] }\n}\n');
    const { exitCode, stderr } = await assay(['config.json'], folder);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/config\.json:2:\d+: unknown key `arg`/);
  });
});

describe('fixes', () => {
  it('are written to a new file as a wording, and listed; an existing file is left alone', async () => {
    const folder = await temporaryFolder();
    const args = ['--calls', '0', '--fix', 'fixes.json', ...server('fixable')];
    const { stderr } = await assay(args, folder);
    expect(stderr).toContain('3 fixes written to fixes.json');
    expect(stderr).toContain('- What to look for, such as /home/zelda/notes');
    const { wordings, fixes } = JSON.parse(await readFile(join(folder, 'fixes.json'), 'utf8'));
    expect(wordings.fixed).toEqual({
      'notes.find': {
        name: 'notes_find',
        description: 'Finds notes that contain a text and returns their titles.',
        arguments: { text: 'What to look for, such as /home/user/notes' },
      },
    });
    expect(fixes.map(({ rule }: { rule: string }) => rule)).toEqual([
      'tool-name-not-portable',
      'invisible-characters',
      'machine-path-in-definition',
    ]);
    expect(await assay(args, folder)).toMatchObject({ exitCode: 2, stdout: '' });
    const nothing = await assay(['--calls', '0', '--fix', 'none.json', ...server()], folder);
    expect(nothing.stderr).toContain('No mechanical fix');
    await expect(readFile(join(folder, 'none.json'))).rejects.toThrow();
  });
});

describe('a login that does not allow everything', () => {
  it('is not blamed on the server: the check is incomplete, and says what to do', async () => {
    const { url, issuer, authorization } = await startProtectedServer({}, { era: 'modern' });
    const oauth = { clientId: publicClient, refreshTokenEnv: 'FILES_REFRESH', issuer };
    const env = { ASSAY_KEYRING: 'off', FILES_REFRESH: authorization.loginOf(publicClient, url) };
    const args = ['--json', '--calls', '1', '--call-all', JSON.stringify({ url, oauth })];
    const { exitCode, stdout } = await assay(args, await temporaryFolder(), env);
    const report = JSON.parse(stdout);
    expect(report.incomplete).toContain('`assay mcp login --scope files:write`');
    expect(report.problems.map(({ id }: { id: string }) => id)).not.toContain('server-failed');
    const write = report.tools.find(({ name }: { name: string }) => name === 'write');
    expect(write).toMatchObject({ ok: 0, cutShort: 'the login does not allow it' });
    expect(report.tools.find(({ name }: { name: string }) => name === 'read')).toMatchObject({ ok: 1 });
    expect(exitCode).not.toBe(0);
  });
});

describe('ambiguous pairs', () => {
  const nameOf = (tool: string | { readonly name: string }): string => (typeof tool === 'string' ? tool : tool.name);
  const args = ['--calls', '0', '--prove-ambiguous', 'openai/gpt-4o'];
  const call = (name: string) => ({ toolCalls: [{ name, input: { text: 'x' } }] });

  it('are proven or refuted by the tools that a model calls', async () => {
    await using model = await startScriptedModel({
      rules: [
        { when: { tool: 'fetch_entries', last: 'this year' }, ...call('fetch_entries') },
        { when: { tool: 'fetch_entries', last: 'all years' }, ...call('load_entries') },
        call('scan_logs'),
      ],
    });
    const env = { OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'sk-test' };
    const folder = await temporaryFolder();
    const { stdout, exitCode } = await assay([...args, '-o', 'report.json', ...server('ambiguous')], folder, env);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('fetch_entries / load_entries: distinguished: 0 of 30 calls wrong (0–11 %)');
    expect(stdout).toContain('all of them for `grep_logs`');
    const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
    expect(report.ambiguity).toMatchObject({ model: 'openai/gpt-4o', limit: 0.2, incomplete: null });
    expect(report.ambiguity.pairs).toMatchObject([
      { tools: ['fetch_entries', 'load_entries'], basis: 'descriptions', requests: 30, verdict: 'refuted' },
      {
        tools: ['scan_logs', 'grep_logs'],
        basis: 'names',
        verdict: 'proven',
        confusion: { share: 0.5 },
        choices: [
          { tool: 'scan_logs', right: 15, confused: 0, neither: 0 },
          { tool: 'grep_logs', right: 0, confused: 15, neither: 0 },
        ],
      },
      { tools: ['getBill', 'get_bill'], basis: null, requests: 0, verdict: 'not-decided' },
    ]);
    const found = report.problems.filter(({ id }: { id: string }) => id === 'tools-ambiguous');
    expect(found.map(({ tools }: { tools: string[] }) => tools[0])).toEqual(['scan_logs', 'getBill']);
    expect(found[0].message).toContain('Tried on openai/gpt-4o: confused: 15 of 30 calls wrong');
    expect(found[1].message).toContain('no request can be meant for only one of them');
    const orders = new Set(model.log().map(({ conversation }) => JSON.stringify(conversation?.tools.map(nameOf))));
    expect(orders).toContain('["scan_logs","grep_logs"]');
    expect(orders).toContain('["grep_logs","scan_logs"]');
  });

  it('are not decided where the model calls nothing, fails or is missing', async () => {
    await using model = await startScriptedModel({
      rules: [{ when: { tool: 'fetch_entries' }, reply: 'Which year?' }, { fault: { status: 400 } }],
    });
    const env = { OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'sk-test' };
    const folder = await temporaryFolder();
    const failed = await assay([...args, '--json', ...server('ambiguous')], folder, env);
    expect(failed.exitCode).toBe(3);
    const report = JSON.parse(failed.stdout);
    expect(report.incomplete).toContain('could not all be tried on openai/gpt-4o');
    expect(report.ambiguity.pairs).toMatchObject([
      { verdict: 'not-decided', reason: 'the model called neither tool', confusion: null },
      { verdict: 'not-decided', reason: expect.stringContaining('openai/gpt-4o') },
      { verdict: 'not-decided', reason: 'it was not tried' },
    ]);
    expect(report.problems.filter(({ id }: { id: string }) => id === 'tools-ambiguous')).toHaveLength(3);
    const keyless = await assay([...args, ...server('ambiguous')], folder, { OPENAI_API_KEY: '' });
    expect(keyless).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringContaining('no API key') });
    const none = await assay([...args, ...server()], folder, env);
    expect(none).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('No two tools seem ambiguous') });
  });

  it('need a model that exists, and a limit needs them', async () => {
    const folder = await temporaryFolder();
    const unknown = await assay(['--prove-ambiguous', 'elsewhere/none', ...server('ambiguous')], folder);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await assay(['--max-usd', '1', ...server()], folder)).toMatchObject({ exitCode: 2 });
    expect(await assay([...args, '--requests-per-pair', '3', ...server()], folder)).toMatchObject({ exitCode: 2 });
  });
});

describe('the manifest for the registry', () => {
  const good = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: 'io.github.ada/thermometer',
    description: 'Converts temperatures',
    version: '1.2.3',
    packages: [{ registryType: 'npm', identifier: 'thermometer', version: '1.2.3', transport: { type: 'stdio' } }],
  };
  const [npm] = good.packages;

  async function problems(manifest: unknown, mcpName: string | undefined = good.name): Promise<string[]> {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'server.json'), JSON.stringify(manifest));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'thermometer', version: '1.2.3', mcpName }));
    const { stdout } = await assay(['--json', '--calls', '0', '--server-json', 'server.json', ...server()], folder);
    const report: { problems: { id: string; message: string }[] } = JSON.parse(stdout);
    return report.problems.map(({ id, message }) => `${id}: ${message}`);
  }

  it('is compared with the server and its package', async () => {
    expect(await problems(good)).toEqual([]);
    expect(await problems({ ...good, version: '2.0.0' }, 'io.github.eve/other')).toEqual([
      'manifest-version-differs: The manifest says 2.0.0, the server says 1.2.3.',
      'manifest-version-differs: The manifest says 2.0.0, package.json says 1.2.3.',
      'manifest-version-differs: The manifest says 2.0.0, the package thermometer has 1.2.3.',
      'manifest-package-differs: `mcpName` in package.json is "io.github.eve/other", not "io.github.ada/thermometer".',
    ]);
    const environmentVariables = [{ name: 'WEATHER_API_KEY' }, { name: 'CITY' }, { name: 'TOKEN', isSecret: true }];
    const remote = { type: 'streamable-http', url: 'http://127.0.0.1:1/mcp' };
    expect(await problems({ ...good, packages: [{ ...npm, environmentVariables }], remotes: [remote] })).toEqual([
      'manifest-not-installable: http://127.0.0.1:1/mcp can be reached on one machine only.',
      'manifest-secret-unmarked: `WEATHER_API_KEY`',
    ]);
    expect(await problems({ ...good, packages: [], remotes: [{ ...remote, url: 'https://example.com/mcp' }] })).toEqual(
      [expect.stringContaining('manifest-transport-differs: The server was started over stdio')],
    );
  });

  it('that the registry would refuse is refused, and one that cannot be read is a wrong request', async () => {
    const bad = { ...good, name: 'thermometer', version: '^1.0.0', packages: [{ ...npm, registryType: 'cpan' }] };
    expect((await problems(bad)).map((text) => text.split(': ').slice(0, 2).join(' '))).toEqual([
      'manifest-invalid `name`',
      'manifest-invalid `version`',
      'manifest-invalid `packages.0.registryType`',
    ]);
    const folder = await temporaryFolder();
    expect(await assay(['--server-json', 'none.json', ...server()], folder)).toMatchObject({ exitCode: 2 });
    await writeFile(join(folder, 'list.json'), '[]');
    expect(await assay(['--server-json', 'list.json', ...server()], folder)).toMatchObject({ exitCode: 2 });
  });
});

describe('the official suite', () => {
  it('is left out where it is not installed, and the report says why', async () => {
    const { exitCode, stdout } = await assay(['--calls', '0', '--conformance', ...server()], await temporaryFolder());
    expect(exitCode).toBe(0);
    expect(stdout).toContain('left out: @modelcontextprotocol/conformance is not installed');
  });
});

describe('secrets', () => {
  it('that a server is started with are in no report', async () => {
    const folder = await temporaryFolder();
    const secret = 'correct-horse-battery-9';
    const args = [
      '--json',
      '--calls',
      '1',
      '--env',
      `WEATHER_API_KEY=${secret}`,
      '-o',
      'report.md',
      '--format',
      'markdown',
    ];
    const { stdout } = await assay([...args, ...server('reveals-secret')], folder);
    expect(stdout).toContain('The key [redacted] is refused');
    expect(stdout + (await readFile(join(folder, 'report.md'), 'utf8'))).not.toContain(secret);
  });

  it('that a server prints before it ends are in no message', async () => {
    const program = 'console.error("no access with", process.env.WEATHER_API_KEY); process.exit(1)';
    const args = ['--env', 'WEATHER_API_KEY=correct-horse-battery-9', '--', 'node', '-e', program];
    const { exitCode, stderr } = await assay(args, await temporaryFolder());
    expect(exitCode).toBe(3);
    expect(stderr).toContain('no access with [redacted]');
  });

  it('that are sent to a server are in no report', async () => {
    const secret = 'open-sesame-4711';
    await using listening = await tellingServer();
    const args = ['--json', '--calls', '1', '--header', `Authorization=Bearer ${secret}`, listening.url];
    const { exitCode, stdout } = await assay(args, await temporaryFolder());
    // Its only tool fails whenever it is called.
    expect(exitCode).toBe(1);
    expect(stdout).toContain('You sent [redacted]');
    expect(stdout).not.toContain(secret);
  });
});

/** A server over HTTP that repeats the header of each request. */
async function tellingServer(): Promise<{ url: string } & AsyncDisposable> {
  const http: Server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse((await text(request)) || '{}');
    if (request.method !== 'POST' || id === undefined)
      return response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const reply = `You sent ${request.headers.authorization}, and that is wrong.`;
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'telling', version: '1' },
      },
      'tools/list': {
        tools: [
          {
            name: 'repeat',
            description: 'Repeats the header of the request.',
            inputSchema: { type: 'object' },
            annotations: { readOnlyHint: true },
          },
        ],
      },
      'tools/call': { content: [{ type: 'text', text: reply }], isError: true },
      ping: {},
    };
    const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'unknown' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

describe('a server that cannot be checked', () => {
  it('still gets the requested report, with exit code 3', async () => {
    const folder = await temporaryFolder();
    const { exitCode, stdout, stderr } = await assay(
      ['--json', '-o', 'x.sarif', '--', process.execPath, '-e', 'process.exit(7)'],
      folder,
    );
    expect(exitCode).toBe(3);
    expect(stderr).toContain('The MCP server');
    const printed = JSON.parse(stdout) as { incomplete: string; totals: { error: number }; schema: string };
    expect(printed).toMatchObject({ schema: 'assay.mcp-check/1', totals: { error: 1 } });
    expect(printed.incomplete).toContain('The MCP server');
    const written = JSON.parse(await readFile(join(folder, 'x.sarif'), 'utf8')) as Record<string, unknown>;
    expect(JSON.stringify(written)).toContain('server-failed');
  });
});
