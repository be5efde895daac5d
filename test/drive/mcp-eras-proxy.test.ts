import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TraceEvent, UnstampedEvent } from '../../src/domain/trace.ts';
import { openRecording } from '../../src/drive/mcp/proxy/open-recording.ts';
import type { ServerDefinition } from '../../src/drive/mcp/server-definition.ts';
import { programPath } from '../../src/testing/support/assay.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const sampleServer = fileURLToPath(new URL('../../src/testing/support/sdk2-server.mjs', import.meta.url));
type Era = 'legacy' | 'modern';

/** Starts the server on a free port; it is ended with the test. */
async function startOverHttp(eras: string): Promise<string> {
  const child = spawn(process.execPath, [sampleServer, eras, '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [port] = await once(child.stdout, 'data');
  return `http://127.0.0.1:${String(port).trim()}/mcp`;
}

/** A client of the SDK that speaks one era, in front of a proxy and a server that is spoken to in one era. */
async function connectThroughProxy(agent: Era, server: Era | 'both', protocol?: Era, isHttp = false) {
  const folder = await temporaryFolder();
  const events: UnstampedEvent[] = [];
  const reached: ServerDefinition = isHttp
    ? { transport: 'shttp', url: await startOverHttp(server), headers: {} }
    : { transport: 'stdio', command: 'node', args: [sampleServer, server], env: {} };
  const definition: ServerDefinition = protocol === undefined ? reached : { ...reached, protocol };
  const recording = openRecording({
    folder: join(folder, 'recording'),
    servers: { tested: { definition, wording: { add: { name: 'plus' } } } },
    program: [process.execPath, programPath],
    tag: `eras-${process.pid}-${folder.length}`,
    trialBeganAtMs: Date.now(),
    emit: (event) => events.push(event),
  });
  const { command = '', args = [] } = recording.servers.tested ?? {};
  const versionNegotiation = { mode: agent === 'legacy' ? ('legacy' as const) : { pin: '2026-07-28' } };
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation, capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { dish: 'soup' } }));
  onTestFinished(async () => {
    await client.close();
    await recording[Symbol.asyncDispose]();
  });
  await client.connect(new StdioClientTransport({ command, args: [...args], cwd: folder, stderr: 'ignore' }));
  const eventsOf = <Type extends TraceEvent['type']>(type: Type) => events.filter((event) => event.type === type);
  return { client, recording, eventsOf };
}

const pairs = [
  { agent: 'modern', server: 'both', protocol: undefined, version: '2026-07-28', spoken: '2026-07-28' },
  { agent: 'modern', server: 'modern', protocol: 'modern', version: '2026-07-28', spoken: '2026-07-28' },
  { agent: 'legacy', server: 'legacy', protocol: 'legacy', version: '2025-11-25', spoken: '2025-11-25' },
  { agent: 'legacy', server: 'modern', protocol: 'modern', version: '2025-11-25', spoken: '2026-07-28' },
  { agent: 'modern', server: 'legacy', protocol: 'legacy', version: '2026-07-28', spoken: '2025-11-25' },
  { agent: 'modern', server: 'modern', protocol: undefined, version: '2026-07-28', spoken: '2026-07-28', isHttp: true },
  { agent: 'legacy', server: 'modern', protocol: 'modern', version: '2025-11-25', spoken: '2026-07-28', isHttp: true },
] as const;

describe('a proxy between an agent and a server', () => {
  it.each(pairs)('carries everything: agent $agent, server $server, spoken to as $protocol', async (pair) => {
    const { client, recording, eventsOf } = await connectThroughProxy(
      pair.agent,
      pair.server,
      pair.protocol,
      'isHttp' in pair,
    );
    expect(client.getNegotiatedProtocolVersion()).toBe(pair.version);
    expect(client.getServerVersion()).toMatchObject({ name: 'sample', version: '1.0.0' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['plus', 'fail', 'order']);
    expect(await client.callTool({ name: 'plus', arguments: { a: 2, b: 40 } })).toMatchObject({
      structuredContent: { sum: 42 },
    });
    expect(await client.callTool({ name: 'fail', arguments: {} })).toMatchObject({ isError: true });
    expect(await client.callTool({ name: 'order', arguments: {} })).toMatchObject({
      content: [{ text: 'ordered soup' }],
    });
    expect(await client.readResource({ uri: 'note://first' })).toMatchObject({ contents: [{ text: 'first note' }] });
    expect(await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      messages: [{ content: { text: 'Greet Ada' } }],
    });
    await expect(client.callTool({ name: 'add', arguments: { a: 1, b: 1 } })).rejects.toThrow(/Unknown tool: add/);
    await expect(client.readResource({ uri: 'note://missing' })).rejects.toMatchObject({ code: -32_602 });
    await client.close();
    recording.finish();
    expect(eventsOf('mcp-server')).toMatchObject([{ name: 'sample', version: '1.0.0', protocolVersion: pair.spoken }]);
    // A call that needs input is one call, however many messages it takes.
    expect(eventsOf('tool-call')).toMatchObject([
      { tool: 'add' },
      { tool: 'fail' },
      { tool: 'order' },
      { tool: 'add' },
    ]);
    expect(eventsOf('tool-result')).toMatchObject([
      { callId: 'tested-1', result: { structuredContent: { sum: 42 } } },
      { callId: 'tested-2', error: { message: 'it did not work' } },
      { callId: 'tested-3', result: { content: [{ text: 'ordered soup' }] } },
      { callId: 'tested-4', error: { message: 'Unknown tool: add' } },
    ]);
    expect(eventsOf('mcp-exchange')).toContainEqual(
      expect.objectContaining({
        direction: 'from-server',
        method: 'elicitation/create',
        result: { action: 'accept', content: { dish: 'soup' } },
      }),
    );
    expect({ faults: recording.faults, problems: recording.problems }).toEqual({ faults: [], problems: [] });
  });

  it('does not hide that an agent and a server share no version, where no era is named', async () => {
    await expect(connectThroughProxy('legacy', 'modern')).rejects.toThrow(/2026-07-28|version/i);
  });
});
