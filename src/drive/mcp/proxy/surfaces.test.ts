import { describe, expect, it } from 'vitest';
import { openTalk } from '../../../testing/fakes/mcp/open-talk.ts';
import { Exchange, type Sides } from './exchange.ts';
import { SurfaceStage } from './surface-stage.ts';

type Listed = { readonly tools: readonly { readonly name: string; readonly description: string }[] };

const textOf = ({ result }: Readonly<Record<string, unknown>>): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe('a proxy that offers a search', () => {
  it.each(['good', 'paged'])('finds tools and calls them by their own names: %s', async (mode) => {
    await using talk = await openTalk({ mode, surface: { kind: 'search' } });
    await talk.greet();
    const { tools } = (await talk.ask(1, 'tools/list')).result as Listed;
    expect(tools.map(({ name }) => name)).toEqual(['find_tools', 'call_tool']);
    const found = await talk.call(2, 'find_tools', { query: 'fails' });
    expect(JSON.parse(textOf(found)).map(({ name }: { name: string }) => name)).toEqual(['fail']);
    const called = await talk.call(3, 'call_tool', { name: 'echo', arguments: { text: 'hello' } });
    expect(called).toEqual({ jsonrpc: '2.0', id: 3, result: { content: [{ type: 'text', text: 'hello' }] } });
    expect(await talk.call(4, 'call_tool', { name: 'ecko' })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('There is no tool `ecko`') },
    });
    expect(await talk.call(5, 'find_tools', { query: '' })).toMatchObject({ result: { isError: true } });
    await talk.hangUp();
    expect(talk.serverCalls()).toEqual([{ tool: 'echo', input: { text: 'hello' } }]);
    expect(talk.recordedCalls()).toEqual([...talk.serverCalls(), { tool: 'ecko', input: {} }]);
    expect(talk.eventsOf('tool-call').map(({ isRefused }) => isRefused)).toEqual([undefined, true]);
    expect(talk.eventsOf('surface-call')).toMatchObject([
      { tool: 'find_tools', input: { query: 'fails' }, output: expect.stringContaining('"fail"'), seenBy: 'recorder' },
      { tool: 'find_tools', error: { message: expect.stringContaining('`query`') } },
    ]);
    const [server, ...others] = talk.eventsOf('mcp-server');
    expect(server).toMatchObject({ surface: 'search' });
    expect(server?.tools.map(({ name }) => name)).toEqual(['echo', 'repeat', 'fail', 'wait', 'die']);
    expect(others).toEqual([]);
    expect(talk.recording).toMatchObject({ faults: [], problems: [] });
  });

  it('answers an agent that calls before it lists', async () => {
    await using talk = await openTalk({ surface: { kind: 'search' } });
    await talk.greet();
    expect(textOf(await talk.call(1, 'find_tools', { query: 'repeat text' }))).toContain('"repeat"');
    await talk.hangUp();
  });
});

describe('a proxy that offers programs', () => {
  const program = `
    const one = await tools.echo({ text: 'one' });
    try { await tools.fail({}); } catch (error) { console.log(error.message); }
    try { await tools.missing({}); } catch (error) { console.log('none'); }
    return await tools.repeat({ text: one, times: 2 });`;

  it('runs them, and puts on record the calls that they make', async () => {
    await using talk = await openTalk({ mode: 'paged', surface: { kind: 'code' } });
    await talk.greet();
    const { tools } = (await talk.ask(1, 'tools/list')).result as Listed;
    expect(tools.map(({ name }) => name)).toEqual(['run_program']);
    expect(tools[0]?.description).toContain('tools["die"]');
    const ran = await talk.call(2, 'run_program', { code: program });
    expect(textOf(ran)).toContain('it did not work');
    expect(textOf(ran)).toMatch(/none\n"oneone"$/);
    expect(await talk.call(3, 'run_program', { code: 'return (' })).toMatchObject({ result: { isError: true } });
    await talk.hangUp();
    const calls = [
      { tool: 'echo', input: { text: 'one' } },
      { tool: 'fail', input: {} },
      { tool: 'repeat', input: { text: 'one', times: 2 } },
    ];
    expect(talk.serverCalls()).toEqual(calls);
    expect(talk.recordedCalls()).toEqual([...calls.slice(0, 2), { tool: 'missing', input: {} }, ...calls.slice(2)]);
    expect(talk.eventsOf('tool-call').flatMap(({ tool, isRefused }) => (isRefused ? tool : []))).toEqual(['missing']);
    expect(talk.received).not.toContain('assay-surface');
    expect(talk.eventsOf('surface-call')).toMatchObject([{ tool: 'run_program' }, { error: {} }]);
  });

  it('ends with the talk and with the server, also while a program waits', async () => {
    await using left = await openTalk({ surface: { kind: 'code' } });
    await left.greet();
    void left.call(1, 'run_program', { code: 'return await tools.wait({})' });
    await left.call(2, 'find_tools', {});
    expect(await left.hangUp()).toBe(0);
    await using dead = await openTalk({ surface: { kind: 'code' } });
    await dead.greet();
    void dead.call(1, 'run_program', { code: 'return await tools.die({})' });
    expect(await dead.exitCode).toBe(3);
    dead.recording.finish();
    expect(dead.recording.faults).toMatchObject([{ code: 'MCP_SERVER_DIED' }]);
  });

  it('stops a program that the agent cancels', async () => {
    await using talk = await openTalk({ surface: { kind: 'code' } });
    await talk.greet();
    // Slow: it is cancelled before it has made as many calls as a program may.
    const code = 'for (;;) { for (let i = 0; i < 3e7; i++); await tools.echo({ text: "x" }) }';
    void talk.call(1, 'run_program', { code });
    await talk.call(2, 'run_program', { code: 'return 1' });
    talk.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n');
    expect(textOf(await talk.call(3, 'run_program', { code: 'return 2' }))).toBe('2');
    await talk.hangUp();
    expect(talk.received).not.toContain('"id":1,');
    expect(talk.eventsOf('surface-call')).toHaveLength(2);
  });
});

describe('a proxy that offers a subset', () => {
  it('hides the other tools and refuses them, in the wording too', async () => {
    const surface = { kind: 'subset', name: 'few', tools: ['echo', 'fail'] } as const;
    await using talk = await openTalk({ surface, wording: { echo: { name: 'say' } } });
    await talk.greet();
    const { tools } = (await talk.ask(1, 'tools/list')).result as Listed;
    expect(tools.map(({ name }) => name)).toEqual(['say', 'fail']);
    expect(textOf(await talk.call(2, 'say', { text: 'hello' }))).toBe('hello');
    expect(await talk.call(3, 'repeat', { text: 'a', times: 1 })).toMatchObject({ error: { code: -32602 } });
    await talk.hangUp();
    expect(talk.serverCalls()).toEqual([{ tool: 'echo', input: { text: 'hello' } }]);
    expect(talk.recordedCalls()).toHaveLength(2);
    expect(talk.eventsOf('tool-call').map(({ isRefused }) => isRefused)).toEqual([undefined, true]);
    expect(talk.eventsOf('mcp-server')[0]).toMatchObject({ surface: 'few' });
  });

  it('that names a tool the server does not have keeps the trial from being judged', async () => {
    await using talk = await openTalk({ surface: { kind: 'subset', name: 'few', tools: ['ecko'] } });
    await talk.greet();
    await talk.ask(1, 'tools/list');
    await talk.hangUp();
    expect(talk.recording.faults).toMatchObject([{ code: 'FILE_INVALID' }]);
  });
});

describe('an agent without a handshake', () => {
  it('has its version in every request to the server, and gets results of its version', async () => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', progressToken: 7 };
    const got: Readonly<Record<string, unknown>>[] = [];
    const answers: Readonly<Record<string, unknown>>[] = [];
    let answered = (): void => undefined;
    const sides: Sides = {
      askServer: (frame) => got.push(JSON.parse(frame.toString())),
      answerAgent: (frame) => {
        answers.push(JSON.parse(frame.toString()));
        answered();
      },
    };
    const { makeSurface } = await import('../surfaces/make-surface.ts');
    const { MessageLog } = await import('./message-log.ts');
    using log = new MessageLog('/nonexistent/log');
    const request = {
      chosen: { kind: 'search' },
      offer: (tools: Parameters<typeof makeSurface>[0]) => makeSurface(tools, {}, { kind: 'search' }),
      log,
      signal: new AbortController().signal,
    } as const;
    const exchange = new Exchange(log, [(ends) => new SurfaceStage(request, ends)], sides);
    const next = () => new Promise<void>((resolve) => (answered = resolve));
    const line = (message: object): Buffer => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    expect(exchange.toServer(line({ id: 1, method: 'tools/list', params: { _meta } }))).not.toBeNull();
    const page = { resultType: 'complete', ttlMs: 5, cacheScope: 'public', tools: [{ name: 'a', inputSchema: {} }] };
    expect(exchange.fromServer(line({ id: 1, result: { ...page, nextCursor: 'b' } }))).toBeNull();
    const version = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    expect(got).toMatchObject([{ method: 'tools/list', params: { cursor: 'b', _meta: version } }]);
    expect(JSON.stringify(got)).not.toContain('progressToken');
    const listed = next();
    expect(exchange.fromServer(line({ id: got[0]?.id, result: page }))).toBeNull();
    await listed;
    expect(answers[0]).toMatchObject({ id: 1, result: { resultType: 'complete', ttlMs: 5, cacheScope: 'public' } });
    expect(answers[0]?.result).not.toHaveProperty('nextCursor');
    const found = next();
    exchange.toServer(
      line({ id: 2, method: 'tools/call', params: { _meta, name: 'find_tools', arguments: { query: 'a' } } }),
    );
    await found;
    expect(exchange.fromServer(line({ id: 3, result: {} }))).toBeUndefined();
    expect(answers[1]).toMatchObject({ id: 2, result: { resultType: 'complete', content: [{ type: 'text' }] } });
  });
});
