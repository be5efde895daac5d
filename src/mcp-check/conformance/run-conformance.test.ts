import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serverDefinitionSchema } from '../../drive/mcp/server-definition.ts';
import type { ListedServer } from '../definitions/listed-server.ts';
import { problemsOfConformance } from './conformance-report.ts';
import { type ConformanceRequest, runConformance } from './run-conformance.ts';

/**
 * Stands in for the official suite: takes its arguments and leaves its kind of results. It imports what an old Node.js
 * does not have, as the official one does.
 */
const suite = `
import { globSync, mkdirSync, writeFileSync } from 'fs';
const args = process.argv.slice(2);
const value = (name) => args[args.indexOf(name) + 1];
if (globSync === undefined) throw new Error('not reached');
if (args[0] === 'list') {
  console.log('Server scenarios (test against a server):');
  for (const name of ['server-initialize', 'ping', 'logging-set-level', 'tools-list', 'prompts-list', 'tools-call-image'])
    console.log('  - ' + name + ' [2025-06-18,2025-11-25,2026-07-28]');
  console.log('  - caching [2026-07-28]');
  console.log('  - dns-rebinding-protection [2025-11-25]');
  console.log('Client scenarios (test against a client):\\n  - initialize [2025-11-25]');
} else {
  const one = args.includes('--scenario') ? value('--scenario') : undefined;
  const got = value('--url').includes(':9/') ? undefined : await fetch(value('--url'));
  const answer = await got?.text();
  // As if the run of all of them had been cut short.
  const all = ['server-initialize', 'ping', 'tools-list', 'prompts-list', 'tools-call-image', 'caching', 'dns-rebinding-protection'];
  for (const scenario of one === undefined ? all : [one]) {
    const folder = value('--output-dir') + '/server-' + scenario + '-2026-07-28T10-00-00-000Z';
    const status = { ping: 'FAILURE', 'tools-list': 'WARNING' }[scenario] ?? 'SUCCESS';
    mkdirSync(folder);
    const checks = [{ id: scenario, description: 'about ' + scenario + (answer ?? '') + (args.includes('--spec-version') ? ' ' + value('--spec-version') : ''), status }, { id: 'note', status: 'INFO' }];
    if (got?.status === 405) checks.push({ id: 'sep-2575-http-server-400', status: 'FAILURE', errorMessage: 'Expected HTTP 400' });
    if (scenario === 'server-initialize') checks.push({ id: 'x', status: 'FAILURE', errorMessage: 'Not testable: no tool test_x' }, { id: 'y', status: 'FAILURE', errorMessage: 'prompts/list returned -32601: Method not found' });
    if (scenario === 'logging-set-level') checks.push({ id: 'z', status: 'FAILURE', errorMessage: 'tools/list returned -32601: Method not found' });
    writeFileSync(folder + '/checks.json', JSON.stringify(checks));
  }
  process.exit(1);
}
`;

const listed: ListedServer = {
  facts: {
    label: 'http://127.0.0.1:9/mcp',
    name: 'weather',
    version: '1.0.0',
    era: 'legacy',
    protocolVersion: '2025-11-25',
    transport: 'shttp',
    capabilities: { tools: {}, logging: {} },
    instructions: undefined,
  },
  tools: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  malformed: [],
};

const folders = { old: '', new: '', broken: '', empty: '' };

async function install(name: keyof typeof folders, version: string, code: string | undefined): Promise<void> {
  folders[name] = await mkdtemp(join(tmpdir(), 'assay-suite-'));
  if (code === undefined) return;
  const folder = join(folders[name], 'node_modules/@modelcontextprotocol/conformance');
  await mkdir(folder, { recursive: true });
  const manifest = { type: 'module', version, bin: { conformance: 'index.js' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'index.js'), code);
}

beforeAll(async () => {
  await install('old', '0.1.16', suite);
  await install('new', '0.2.0-alpha.12', suite);
  await install('broken', '0.1.16', `throw new SyntaxError('no such export');`);
  await install('empty', '', undefined);
});

afterAll(async () => {
  for (const folder of Object.values(folders)) await rm(folder, { recursive: true, force: true });
});

function request(server: unknown, directory: string): ConformanceRequest {
  const definition = serverDefinitionSchema().parse(server);
  const serverDirectory = directory;
  return { definition, source: 'installed', directory, serverDirectory, env: process.env, timeoutMs: 30_000 };
}

const url = 'http://127.0.0.1:9/mcp';

describe('the official suite', () => {
  it('runs the scenarios that the server can pass; what it does not declare is not judged', async () => {
    const report = await runConformance(request({ url }, folders.old), listed);
    expect(report).toMatchObject({
      state: 'ran',
      suite: '0.1.16',
      reason: 'the other 3 are for other versions, capabilities, or tools of an example server',
      scenarios: [
        {
          name: 'server-initialize',
          version: null,
          state: 'pass',
          unjudged: ['Not testable: no tool test_x', 'prompts/list returned -32601: Method not found'],
        },
        { name: 'ping', state: 'fail', messages: ['about ping'], unjudged: [] },
        { name: 'logging-set-level', state: 'fail', messages: ['tools/list returned -32601: Method not found'] },
        { name: 'tools-list', state: 'warning', messages: ['about tools-list'] },
        { name: 'dns-rebinding-protection', state: 'pass' },
      ],
    });
    expect(problemsOfConformance(report).map(({ id, message }) => [id, message])).toEqual([
      ['conformance-failed', 'ping: about ping'],
      ['conformance-failed', 'logging-set-level: tools/list returned -32601: Method not found'],
      ['conformance-warning', 'tools-list: about tools-list'],
    ]);
  });

  it('runs them for each version that the session speaks, and all of them on an example server', async () => {
    const tool = { name: 'test_simple_text', description: '', inputSchema: {}, outputSchema: {}, annotations: {} };
    const example = { ...listed, tools: [{ ...tool, definition: {} }] };
    const report = await runConformance(request({ url }, folders.new), example);
    const run = report.state === 'ran' ? report.scenarios.map(({ name, version }) => `${name} ${version}`) : [];
    expect(run).toContain('ping 2025-06-18');
    expect(run).toContain('ping 2025-11-25');
    expect(run).toContain('tools-call-image 2025-11-25');
    expect(run.filter((text) => text.includes('2026'))).toEqual([]);
    const modern = { ...listed, facts: { ...listed.facts, era: 'modern' as const, protocolVersion: '2026-07-28' } };
    const newer = await runConformance(request({ url }, folders.new), modern);
    expect(newer.state === 'ran' && newer.scenarios.map(({ version }) => version)).toEqual(Array(5).fill('2026-07-28'));
    expect(newer.state === 'ran' && newer.scenarios[1]?.messages).toEqual(['about ping 2026-07-28']);
  });

  it('reaches a server that needs headers', async () => {
    const server = createServer((incoming, response) => response.end(` with ${incoming.headers['x-key']}`));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const definition = { url: `http://127.0.0.1:${port}/mcp`, headers: { 'X-Key': 'sesame' } };
    const report = await runConformance(request(definition, folders.old), listed);
    expect(report.state === 'ran' && report.scenarios.map(({ name }) => name)).not.toContain(
      'dns-rebinding-protection',
    );
    expect(report.state === 'ran' && report.scenarios[1]?.messages).toEqual(['about ping with sesame']);
  });

  it('reaches a server that is a program, and does not judge it by HTTP', async () => {
    const program = fileURLToPath(new URL('../fixtures/broken-server.mjs', import.meta.url));
    const definition = { command: 'node', args: [program, 'legacy', 'ping-refused'] };
    const report = await runConformance(request(definition, folders.old), listed);
    const scenarios = report.state === 'ran' ? report.scenarios : [];
    expect(scenarios.map(({ name }) => name)).not.toContain('dns-rebinding-protection');
    expect(scenarios.find(({ name }) => name === 'ping')).toMatchObject({
      state: 'fail',
      messages: ['about ping'],
      unjudged: ['Expected HTTP 400'],
    });
  });

  it.each<[why: string, server: unknown, folder: () => string, reason: string]>([
    ['it is not installed', { url }, () => folders.empty, '--allow-npx'],
    ['the server speaks the older HTTP', { url, transport: 'sse' }, () => folders.old, 'this server is reached by sse'],
    ['it does not start', { url }, () => folders.broken, 'SyntaxError: no such export'],
  ])('is left out when %s, and the reason is reported', async (_why, server, folder, reason) => {
    const report = await runConformance(request(server, folder()), listed);
    expect(report).toEqual({ state: 'left-out', reason: expect.stringContaining(reason) });
    expect(problemsOfConformance(report)).toEqual([]);
  });
});
