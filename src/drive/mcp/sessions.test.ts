import { describe, expect, it } from 'vitest';
import { runningServers } from '../../testing/fakes/mcp/running-servers.ts';
import { stdioDefinition } from '../../testing/fakes/mcp/stdio-definition.ts';
import type { Era } from './session.ts';
import { RunSessions } from './sessions.ts';

const limits = { timeoutMs: 20_000 };
const options = { directory: import.meta.dirname, env: process.env, ...limits };

describe('the sessions of a run', () => {
  it('start each server once, however many use it', async () => {
    {
      await using sessions = new RunSessions('9.9.9');
      const leases = await Promise.all([1, 2, 3].map(() => sessions.lease(stdioDefinition('good'), options)));
      const [first] = leases;
      expect(new Set(leases.map(({ session }) => session)).size).toBe(1);
      expect(runningServers('good').length).toBe(1);
      await first?.[Symbol.asyncDispose]();
      expect(await leases[1]?.session.request('ping', {}, limits)).toMatchObject({ kind: 'result' });
      const elsewhere = await sessions.lease(stdioDefinition('good'), {
        ...options,
        directory: `${import.meta.dirname}/proxy`,
      });
      const able = await sessions.lease(stdioDefinition('good'), { ...options, capabilities: { sampling: {} } });
      expect(new Set([first?.session, elsewhere.session, able.session]).size).toBe(3);
    }
    expect(runningServers('good')).toEqual([]);
  });

  it('pin the tools as they were at the beginning', async () => {
    await using sessions = new RunSessions();
    const { pins, assertPinned } = await sessions.lease(stdioDefinition('good'), options);
    expect(Object.keys(pins)).toEqual(['echo', 'fail', 'hang', 'cancelled', 'ask', 'log', 'surroundings']);
    expect(pins.echo).toMatch(/^[0-9a-f]{64}$/);
    await expect(assertPinned(limits)).resolves.toEqual([]);
  });

  it('report which tools changed, though the server does not', async () => {
    await using sessions = new RunSessions();
    const lease = await sessions.lease(stdioDefinition('changes its tools'), options);
    await expect(lease.assertPinned(limits)).rejects.toMatchObject({
      code: 'MCP_TOOLS_CHANGED',
      message: expect.stringMatching(/changed during the run: "fail" was removed; "echo" has another description\.$/),
    });
  });

  it.each<Era>(['legacy', 'modern'])('ask again for the tools when a %s server says that they changed', async (era) => {
    await using sessions = new RunSessions();
    const definition = stdioDefinition('announces other tools', {}, era);
    const { session, assertPinned, pins } = await sessions.lease(definition, options);
    const names = async () => (await session.listTools(limits)).map(({ name }) => name);
    expect(await names()).toEqual(['tool-1']);
    await session.callTool('echo', { text: 'x' }, limits);
    expect(await names()).toEqual(['tool-2']);
    expect(await names()).toEqual(['tool-2']);
    expect(Object.keys(pins)).toEqual(['tool-1']);
    expect(await assertPinned(limits)).toMatchObject([{ tool: 'tool-3' }, { tool: 'tool-1', isAccepted: true }]);
    const strict = await sessions.lease({ ...definition, toolChanges: 'refuse' }, options);
    await strict.session.callTool('echo', { text: 'x' }, limits);
    await expect(strict.assertPinned(limits)).rejects.toMatchObject({ code: 'MCP_TOOLS_CHANGED' });
  });

  it('open a server that died again, once for all who share it', async () => {
    const definition = stdioDefinition('dies in a call');
    {
      await using sessions = new RunSessions();
      const one = await sessions.lease(definition, options);
      const other = await sessions.lease(definition, options);
      const dead = one.session;
      await expect(dead.callTool('echo', {}, limits)).rejects.toMatchObject({ code: 'MCP_SERVER_DIED' });
      const [reopened, shared] = await Promise.all([one.reopen(limits), other.reopen(limits)]);
      expect(reopened).not.toBe(dead);
      expect(shared).toBe(reopened);
      expect(one.session).toBe(reopened);
      expect(await one.reopen(limits)).toBe(reopened);
      expect(runningServers('dies in a call').length).toBe(1);
      await expect(reopened.callTool('echo', {}, limits)).rejects.toMatchObject({ code: 'MCP_SERVER_DIED' });
      const third = await sessions.lease(definition, options);
      expect(third.session.broken).toBeUndefined();
      expect(third.pins).toEqual(one.pins);
    }
    expect(runningServers('dies in a call')).toEqual([]);
  });

  it('try a server that cannot be had only once', async () => {
    await using sessions = new RunSessions();
    const [first, second] = await Promise.allSettled(
      [1, 2].map(() => sessions.lease(stdioDefinition('dies at once'), options)),
    );
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'MCP_SERVER_NOT_STARTED' } });
    const third = await sessions.lease(stdioDefinition('dies at once'), options).catch((error: unknown) => error);
    expect([second, third]).toEqual([first, (first as PromiseRejectedResult).reason]);
  });

  it('leave nothing behind when the list of tools cannot be had', async () => {
    await using sessions = new RunSessions();
    const leasing = sessions.lease(stdioDefinition('refuses the list'), options);
    await expect(leasing).rejects.toMatchObject({ code: 'MCP_PROTOCOL_VIOLATED' });
    expect(runningServers('refuses the list')).toEqual([]);
  });

  it('end with the run, also what is still being opened', async () => {
    const sessions = new RunSessions();
    const leasing = sessions.lease(stdioDefinition('silent'), options);
    const rejected = expect(leasing).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await sessions[Symbol.asyncDispose]();
    await rejected;
    expect(runningServers('silent')).toEqual([]);
  });

  it('let those go who do not want to wait, and serve the others', async () => {
    await using sessions = new RunSessions();
    const stop = new AbortController();
    const impatient = sessions.lease(stdioDefinition('good'), { ...options, signal: stop.signal });
    const patient = sessions.lease(stdioDefinition('good'), options);
    stop.abort();
    await expect(impatient).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect((await patient).session.broken).toBeUndefined();
  });
});
