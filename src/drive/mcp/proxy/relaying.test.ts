import { describe, expect, it } from 'vitest';
import { openTalk } from '../../../testing/fakes/mcp/open-talk.ts';

describe('a proxy between an agent and a server', () => {
  it('changes no byte on the way there and back', async () => {
    await using talk = await openTalk();
    await talk.greet();
    const odd =
      '  {"id" : 7,"jsonrpc":"2.0", "method":"tools/call","params":{"name":"echo","arguments":{"text":"ä€😀\\u0000"}}}\r';
    const answered = talk.ask(8, 'ping');
    talk.write(`${odd}\n\nnot json at all\n`);
    await answered;
    await talk.ask(9, 'ping');
    expect(await talk.hangUp()).toBe(0);
    expect(talk.serverLines('got')).toContain(odd);
    expect(talk.serverLines('got')).toEqual(expect.arrayContaining(['', 'not json at all']));
    expect(talk.received).toBe(`${talk.serverLines('sent').join('\n')}\n`);
  });

  it('puts on record the calls that the server got, with their answers', async () => {
    await using talk = await openTalk();
    await talk.greet();
    await talk.ask(1, 'tools/list');
    await talk.call(2, 'echo', { text: 'one' });
    await talk.call(3, 'fail');
    await talk.call(4, 'missing');
    await talk.ask('five', 'ping');
    await talk.hangUp();
    expect(talk.recordedCalls()).toEqual(talk.serverCalls());
    expect(talk.eventsOf('tool-result')).toMatchObject([
      { callId: 'tested-1', seenBy: 'recorder', result: { content: [{ text: 'one' }] } },
      { callId: 'tested-2', result: { isError: true }, error: { message: 'it did not work' } },
      { callId: 'tested-3', error: { code: -32602, message: 'Unknown tool: missing' } },
    ]);
    expect(talk.eventsOf('mcp-exchange')).toMatchObject([{ direction: 'to-server', method: 'ping', result: {} }]);
    expect(talk.events.map(({ at }) => at)).toEqual(
      talk.events.map(({ at }) => at).toSorted((a, b) => Number(a) - Number(b)),
    );
    expect(talk.recording).toMatchObject({ faults: [], problems: [], unused: [] });
  });

  it.each(['good', 'paged', 'empty-cursor'])('records which server it was and pins its tools: %s', async (mode) => {
    await using talk = await openTalk({ mode });
    await talk.greet();
    const { result } = await talk.ask(1, 'tools/list');
    const { nextCursor } = result as { nextCursor?: string };
    if (nextCursor) await talk.ask(2, 'tools/list', { cursor: nextCursor });
    await talk.hangUp();
    const [server, ...others] = talk.eventsOf('mcp-server');
    expect(server).toMatchObject({
      label: 'tested',
      name: 'logging',
      version: '1.0.0',
      protocolVersion: '2025-06-18',
      transport: 'stdio',
    });
    expect(server?.tools.map(({ name }) => name)).toEqual(['echo', 'repeat', 'fail', 'wait', 'die']);
    expect(new Set(server?.tools.map(({ sha256 }) => sha256)).size).toBe(5);
    expect(others).toEqual([]);
  });

  it('pairs parallel calls with their answers, in whatever order they come', async () => {
    await using talk = await openTalk();
    await talk.greet();
    const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`);
    const late = talk.call('late', 'wait');
    await Promise.all([late, ...texts.map((text, index) => talk.call(index, 'echo', { text }))]);
    await talk.hangUp();
    expect(talk.recordedCalls()).toEqual(talk.serverCalls());
    const answers = new Map(talk.eventsOf('tool-result').map((event) => [event.callId, JSON.stringify(event.result)]));
    expect(answers.get('tested-1')).toContain('at last');
    for (const [index, text] of texts.entries()) expect(answers.get(`tested-${index + 2}`)).toContain(`"${text}"`);
  });

  it('carries messages that are too long to be kept, and keeps what they were', async () => {
    await using talk = await openTalk();
    await talk.greet();
    const long = 'x'.repeat(3_000_000);
    await talk.call(1, 'echo', { text: long });
    await talk.call(2, 'repeat', { text: '0123456789', times: 1_800_000 });
    await talk.hangUp();
    expect(talk.received).toBe(`${talk.serverLines('sent').join('\n')}\n`);
    expect(talk.serverCalls()).toMatchObject([{ tool: 'echo', input: { text: long } }, { tool: 'repeat' }]);
    expect(talk.recordedCalls()).toMatchObject([
      { tool: 'echo', input: { text: expect.stringMatching(/^x+ … \d+ characters left out …$/) } },
      { tool: 'repeat', input: { times: 1_800_000 } },
    ]);
    expect(talk.eventsOf('tool-result')).toMatchObject([
      { result: { content: [{ type: 'text', text: expect.stringContaining('left out') }] } },
      { result: { leftOut: expect.stringMatching(/^\d+ bytes, too long to store$/) } },
    ]);
    expect(JSON.stringify(talk.events).length).toBeLessThan(1_000_000);
  });

  it('records the requests of the server to the agent', async () => {
    await using talk = await openTalk({ mode: 'asking' });
    await talk.greet();
    await talk.call(1, 'echo', { text: 'x' });
    const answers = [
      { roots: [] },
      { content: { type: 'text', text: 'Because' } },
      { content: { type: 'tool_use', name: 'clock' } },
      { action: 'accept', content: { text: 'Ann' } },
      { action: 'decline' },
    ];
    for (const [index, result] of answers.entries())
      talk.write(`${JSON.stringify({ jsonrpc: '2.0', id: `s${index + 1}`, result })}\n`);
    await talk.ask(2, 'ping');
    await talk.hangUp();
    const exchanges = talk.eventsOf('mcp-exchange').filter(({ direction }) => direction === 'from-server');
    expect(exchanges).toMatchObject([
      { method: 'roots/list' },
      { method: 'sampling/createMessage', params: { maxTokens: 5 } },
      { method: 'sampling/createMessage', params: { tools: [{ name: 'clock' }] } },
      { method: 'elicitation/create', params: { requestedSchema: { type: 'object' } } },
      { method: 'elicitation/create', params: { mode: 'url', url: 'https://example.com/login' } },
    ]);
    expect(exchanges.map(({ result }) => result)).toEqual(answers);
  });

  it('records progress and log messages of the server', async () => {
    await using talk = await openTalk({ mode: 'reporting' });
    await talk.greet();
    await talk.call(1, 'echo', { text: 'x' });
    await talk.hangUp();
    expect(talk.eventsOf('mcp-notification')).toMatchObject([
      { direction: 'from-server', method: 'notifications/progress', params: { progress: 1, total: 2 } },
      { direction: 'from-server', method: 'notifications/message', params: { level: 'info', data: 'half of it' } },
    ]);
  });

  it('records the requests of every feature with their answers, and tasks as the server gives them', async () => {
    await using talk = await openTalk({ mode: 'features' });
    await talk.greet();
    await talk.call('a', 'job');
    await talk.call('b', 'job', { text: 'later' });
    const requests: [string, object, object][] = [
      ['tasks/get', { taskId: 't-1' }, { status: 'completed' }],
      ['tasks/result', { taskId: 't-1' }, { content: [{ text: 'the job is done' }] }],
      ['tasks/update', { taskId: 't-1', inputResponses: { who: { action: 'decline' } } }, {}],
      ['tasks/cancel', { taskId: 't-1' }, { status: 'cancelled' }],
      ['resources/list', {}, { resources: [{ uri: 'note://a' }] }],
      ['resources/read', { uri: 'note://a' }, { contents: [{ text: 'Hello' }] }],
      ['resources/templates/list', {}, { resourceTemplates: [{ uriTemplate: 'note://{name}' }] }],
      ['resources/subscribe', { uri: 'note://a' }, {}],
      ['resources/unsubscribe', { uri: 'note://a' }, {}],
      ['prompts/list', {}, { prompts: [{ name: 'greet' }] }],
      ['prompts/get', { name: 'greet' }, { messages: [{ role: 'user' }] }],
      ['completion/complete', { argument: { name: 'name', value: 'A' } }, { completion: { values: ['Ann'] } }],
    ];
    for (const [method, params] of requests) await talk.ask(method, method, params);
    await talk.hangUp();
    expect(talk.eventsOf('tool-result')).toMatchObject([
      { result: { structuredContent: { sum: 5 } } },
      { result: { task: { taskId: 't-1', status: 'working' } } },
    ]);
    expect(talk.eventsOf('mcp-exchange')).toMatchObject(
      requests.map(([method, params, result]) => ({ direction: 'to-server', method, params, result })),
    );
  });

  it('leaves icons, titles and interfaces of tools as they are', async () => {
    await using talk = await openTalk({ mode: 'features' });
    await talk.greet();
    const { result } = await talk.ask(1, 'tools/list');
    await talk.hangUp();
    expect((result as { tools: object[] }).tools.at(-1)).toMatchObject({
      title: 'A job',
      icons: [{ src: 'https://example.com/job.png', mimeType: 'image/png' }],
      _meta: { ui: { resourceUri: 'ui://charts/chart' } },
    });
  });

  it('does not blame the server for calls that the agent cancelled', async () => {
    await using talk = await openTalk();
    await talk.greet();
    void talk.call('late', 'wait');
    talk.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"late"}}\n');
    await talk.ask(2, 'ping');
    await talk.hangUp();
    expect(talk.eventsOf('tool-result')).toMatchObject([
      { callId: 'tested-1', error: { message: 'the agent cancelled the call' } },
    ]);
    expect(talk.recording).toMatchObject({ faults: [], problems: [] });
  });
});
