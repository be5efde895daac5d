import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openSession } from '../../drive/mcp/open-session.ts';
import { serverDefinitionSchema } from '../../drive/mcp/server-definition.ts';
import { StdioWire } from '../../drive/mcp/wire/stdio-wire.ts';
import { runningWith } from '../../testing/fakes/mcp/running-servers.ts';
import { checkServer } from '../check-server.ts';
import { openStdioBridge } from './stdio-bridge.ts';

const fixture = fileURLToPath(new URL('../fixtures/broken-server.mjs', import.meta.url));
const timeoutMs = 30_000;
const options = { directory: tmpdir(), env: process.env };

function bridgeTo(...args: string[]) {
  const definition = serverDefinitionSchema().parse({ command: 'node', args });
  if (definition.transport !== 'stdio') throw new Error('not a program');
  return openStdioBridge((listener) => new StdioWire(definition, options, listener));
}

/** The rules that a check finds broken in a server over stdio that it reaches over HTTP. */
async function rulesBroken(era: string, breakages: string): Promise<string[]> {
  await using bridge = await bridgeTo(fixture, era, breakages);
  const definition = serverDefinitionSchema().parse({ url: bridge.url });
  const { report } = await checkServer({
    open: (how) => openSession(definition, { ...options, timeoutMs, ...how }),
    timeoutMs,
    callsPerTool: 2,
    concurrency: 4,
    callsAll: false,
    call: [],
    skip: [],
    seed: 1,
    knownArguments: new Map(),
  });
  expect(report.incomplete).toBeNull();
  return [...new Set(report.problems.map(({ id }) => id))].toSorted();
}

describe.each(['legacy', 'modern'])('the bridge to a %s server over stdio', (era) => {
  it('adds nothing to what the server does, and hides nothing', async () => {
    expect(await rulesBroken(era, 'nothing')).toEqual([]);
    const broken = 'notification-with-id,progress-falls,structured-content-wrong,unknown-method-accepted';
    expect(await rulesBroken(era, broken)).toEqual([
      'notification-with-id',
      'output-schema-mismatch',
      'progress-malformed',
      'unknown-method-accepted',
    ]);
  });
});

describe('the bridge', () => {
  const post = (url: string, message: object, headers = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const initialize = { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } };

  it('starts a program for each session, and ends it with the session', async () => {
    const mark = `bridge-${process.pid}`;
    {
      await using bridge = await bridgeTo(fixture, 'legacy', mark);
      const sessions = await Promise.all(
        [1, 2].map(async () => (await post(bridge.url, initialize)).headers.get('mcp-session-id') ?? ''),
      );
      expect(runningWith(mark)).toHaveLength(2);
      const [first = '', second = ''] = sessions;
      const ended = await fetch(bridge.url, { method: 'DELETE', headers: { 'mcp-session-id': first } });
      expect(ended.status).toBe(200);
      expect(runningWith(mark)).toHaveLength(1);
      const ping = { id: 2, method: 'ping' };
      expect((await post(bridge.url, ping, { 'mcp-session-id': first })).status).toBe(404);
      expect(await (await post(bridge.url, ping, { 'mcp-session-id': second })).json()).toMatchObject({ result: {} });
      expect((await fetch(bridge.url)).status).toBe(405);
    }
    expect(runningWith(mark)).toEqual([]);
  });

  it('answers requests of a program that ends with a failure, and the next one by a new program', async () => {
    const dies = `process.stdin.once('data', () => process.exit(3))`;
    await using bridge = await bridgeTo('-e', dies);
    const request = { id: 1, method: 'server/discover', params: {} };
    expect((await post(bridge.url, request)).status).toBe(502);
    expect((await post(bridge.url, request)).status).toBe(502);
    const answers = await Promise.all([post(bridge.url, request), post(bridge.url, request)]);
    expect(answers.map(({ status }) => status)).toEqual([502, 502]);
  });
});
