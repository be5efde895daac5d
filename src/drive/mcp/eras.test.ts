import { describe, expect, it } from 'vitest';
import { runningServers } from '../../testing/fakes/mcp/running-servers.ts';
import { stdioDefinition } from '../../testing/fakes/mcp/stdio-definition.ts';
import { knownEra, rememberEra } from './known-eras.ts';
import { openSession } from './open-session.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { McpSession } from './session.ts';

const limits = { timeoutMs: 20_000 };
const options = { directory: import.meta.dirname, env: process.env, ...limits };

/** A session, and the methods of what was sent until it was open. */
async function opened(definition: ServerDefinition): Promise<{ session: McpSession; sent: unknown[] }> {
  const sent: unknown[] = [];
  const onFrame = (direction: string, message: unknown): void => {
    if (direction === 'to-server') sent.push((message as { method?: string }).method);
  };
  return { session: await openSession(definition, { ...options, onFrame }), sent };
}

describe('the era of a server', () => {
  it.each<[string, 'legacy' | 'modern', string, string[]]>([
    ['good', 'legacy', 'legacy', ['server/discover', 'initialize', 'notifications/initialized']],
    ['good', 'modern', 'modern', ['server/discover']],
    ['says that it is both', 'modern', 'modern', ['server/discover']],
    [
      'has versions of the handshake only',
      'legacy',
      'legacy',
      ['server/discover', 'initialize', 'notifications/initialized'],
    ],
    ['ends at an unknown method', 'legacy', 'legacy', ['server/discover', 'initialize', 'notifications/initialized']],
    ['ignores unknown methods', 'legacy', 'legacy', ['server/discover', 'initialize', 'notifications/initialized']],
    ['starts slowly', 'modern', 'modern', ['server/discover', 'initialize']],
    [
      'starts slowly, and is what it is greeted as',
      'modern',
      'modern',
      ['server/discover', 'initialize', 'server/discover'],
    ],
    ['starts slowly', 'legacy', 'legacy', ['server/discover', 'initialize', 'notifications/initialized']],
  ])('%s (%s): is %s', async (mode, era, found, methods) => {
    const definition = stdioDefinition(mode, {}, era);
    // Another suite of this process may have opened the same server.
    rememberEra(definition, options.directory, undefined);
    const { session, sent } = await opened(definition);
    await using _session = session;
    expect(session.facts.era).toBe(found);
    expect(sent).toEqual(methods);
    expect(await session.callTool('echo', { text: 'x' }, limits)).toMatchObject({ kind: 'result' });
    expect(session.notices()).toEqual([]);
    expect(session.broken).toBeUndefined();
    expect(runningServers(mode).length).toBe(1);
  });

  it('is found out once, and again when it does not hold any more', async () => {
    const definition = stdioDefinition('good', { env: { ONCE: '1' } });
    await (await opened(definition)).session[Symbol.asyncDispose]();
    const again = await opened(definition);
    await again.session[Symbol.asyncDispose]();
    expect(again.sent).toEqual(['initialize', 'notifications/initialized']);
    const changed = stdioDefinition('became modern');
    rememberEra(changed, options.directory, 'legacy');
    const { session, sent } = await opened(changed);
    await using _session = session;
    expect(sent).toEqual(['initialize', 'server/discover']);
    expect(knownEra(changed, options.directory)).toBe('modern');
  });

  it.each<[string, 'legacy' | 'modern', string, RegExp]>([
    ['modern', 'legacy', 'MCP_FEATURE_ABSENT', /has no version of the protocol from 2026-07-28 on: it answered server/],
    ['2026-07-28', 'legacy', 'MCP_FEATURE_ABSENT', /with the error Method not found \(-32601\)\.$/],
    ['legacy', 'modern', 'MCP_FEATURE_ABSENT', /has only version 2026-07-28 of the protocol, which has no handshake/],
  ])('%s may be required of a %s server, which does not have it', async (protocol, era, code, says) => {
    const opening = openSession(stdioDefinition('good', { protocol }, era), options);
    await expect(opening).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
    expect(runningServers('good')).toEqual([]);
  });

  it.each<['legacy' | 'modern', string[]]>([
    ['legacy', ['initialize', 'notifications/initialized']],
    ['modern', ['server/discover']],
  ])('%s may be required of a server that has both', async (protocol, methods) => {
    const { session, sent } = await opened(stdioDefinition('says that it is both', { protocol }, 'modern'));
    await using _session = session;
    expect([session.facts.era, sent]).toEqual([protocol, methods]);
  });
});

describe('changes that a server without a handshake reports', () => {
  it('are requested only when there is a listener', async () => {
    const { session, sent } = await opened(stdioDefinition('announces other tools', {}, 'modern'));
    await using _session = session;
    await session.callTool('echo', { text: 'x' }, limits);
    expect(sent).not.toContain('subscriptions/listen');
    const heard: unknown[] = [];
    using _listening = session.onNotification('notifications/tools/list_changed', () => heard.push(1));
    await session.callTool('echo', { text: 'x' }, limits);
    expect(sent.filter((method) => method === 'subscriptions/listen')).toHaveLength(1);
    expect(heard).toHaveLength(1);
  });

  it('are one request for listeners that come together, go and come back', async () => {
    const { session, sent } = await opened(stdioDefinition('offers all changes', {}, 'modern'));
    await using _session = session;
    for (let time = 0; time < 3; time++) {
      using _tools = session.onNotification('notifications/tools/list_changed', () => undefined);
      using _prompts = session.onNotification('notifications/prompts/list_changed', () => undefined);
      await session.callTool('fail', {}, limits);
    }
    expect(sent).toEqual(['server/discover', 'subscriptions/listen', 'tools/call', 'tools/call', 'tools/call']);
  });

  it('are followed for one resource until it is not wanted any more', async () => {
    const { session, sent } = await opened(stdioDefinition('good', {}, 'modern'));
    await using _session = session;
    const uri = 'note://a';
    expect(await session.request('resources/subscribe', { uri }, limits)).toMatchObject({ kind: 'result' });
    expect(await session.request('resources/unsubscribe', { uri }, limits)).toMatchObject({ kind: 'result' });
    await session.request(session.aliveMethod, {}, limits);
    expect(sent.slice(1)).toEqual(['subscriptions/listen', 'notifications/cancelled', 'server/discover']);
    expect(session.notices()).toEqual([]);
  });

  it('are requested again after the server ended them', async () => {
    const { session, sent } = await opened(stdioDefinition('ends the stream of changes', {}, 'modern'));
    await using _session = session;
    const listen = (): Disposable => session.onNotification('notifications/tools/list_changed', () => undefined);
    using _first = listen();
    for (let time = 0; time < 2; time++) await session.request(session.aliveMethod, {}, limits);
    using _second = listen();
    await session.request(session.aliveMethod, {}, limits);
    expect(sent.filter((method) => method === 'subscriptions/listen')).toHaveLength(2);
  });
});
