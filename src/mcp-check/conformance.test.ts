import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverDefinitionSchema } from '../drive/mcp/server-definition.ts';
import { type ConformanceRequest, problemsOfConformance, runConformance } from './conformance.ts';
import type { ListedServer } from './listed-server.ts';

/** Stands in for the official suite: takes its arguments and leaves its kind of results. */
const suite = `
import { mkdirSync, writeFileSync } from 'node:fs';
const args = process.argv.slice(2);
const value = (name) => args[args.indexOf(name) + 1];
const scenario = value('--scenario');
const folder = value('--output-dir') + '/server-' + scenario;
if (value('--url').includes('broken-suite')) throw new SyntaxError('no such export');
const status = { ping: 'FAILURE', 'tools-list': 'WARNING' }[scenario] ?? 'SUCCESS';
mkdirSync(folder);
const checks = [{ id: scenario, name: scenario, description: 'about ' + scenario, status }, { id: 'note', status: 'INFO' }];
writeFileSync(folder + '/checks.json', JSON.stringify(checks));
process.exit(status === 'SUCCESS' ? 0 : 1);
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

let installed = '';
let empty = '';

beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), 'assay-suite-'));
  installed = await mkdtemp(join(tmpdir(), 'assay-suite-'));
  const folder = join(installed, 'node_modules/@modelcontextprotocol/conformance');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', bin: { conformance: 'index.js' } }));
  await writeFile(join(folder, 'index.js'), suite);
});

afterAll(async () => {
  for (const folder of [installed, empty]) await rm(folder, { recursive: true, force: true });
});

function request(server: unknown, directory: string): ConformanceRequest {
  const definition = serverDefinitionSchema().parse(server);
  return { definition, source: 'installed', directory, env: process.env, timeoutMs: 30_000 };
}

describe('the official suite', () => {
  it('runs the scenarios that fit any server, and a failed one is a problem', async () => {
    const report = await runConformance(request({ url: 'http://127.0.0.1:9/mcp' }, installed), listed);
    expect(report).toMatchObject({
      state: 'ran',
      scenarios: [
        { name: 'server-initialize', state: 'pass', messages: [] },
        { name: 'ping', state: 'fail', messages: ['about ping'] },
        { name: 'logging-set-level', state: 'pass' },
        { name: 'tools-list', state: 'warning', messages: ['about tools-list'] },
        { name: 'server-sse-multiple-streams', state: 'pass' },
        { name: 'dns-rebinding-protection', state: 'pass' },
      ],
    });
    expect(problemsOfConformance(report).map(({ id, message }) => [id, message])).toEqual([
      ['conformance-failed', 'ping: about ping'],
      ['conformance-warning', 'tools-list: about tools-list'],
    ]);
  });

  it.each<[why: string, server: unknown, folder: () => string, reason: string]>([
    ['it is not installed', { url: 'http://127.0.0.1:9/mcp' }, () => empty, '--allow-npx'],
    ['the server is a program', { command: 'node' }, () => installed, 'this server is reached by stdio'],
    ['the server wants headers', { url: 'http://h/mcp', headers: { a: 'b' } }, () => installed, 'cannot send headers'],
    ['it does not start', { url: 'http://broken-suite/mcp' }, () => installed, 'SyntaxError: no such export'],
  ])('is left out when %s, and the reason is reported', async (_why, server, folder, reason) => {
    const report = await runConformance(request(server, folder()), listed);
    expect(report).toEqual({ state: 'left-out', reason: expect.stringContaining(reason) });
    expect(problemsOfConformance(report)).toEqual([]);
  });
});
