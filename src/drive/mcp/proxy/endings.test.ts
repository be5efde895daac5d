import { describe, expect, it } from 'vitest';
import { openTalk } from '../../../testing/fakes/mcp/open-talk.ts';

describe('a server that does wrong', () => {
  it('is at fault when it dies in the middle of a call', async () => {
    await using talk = await openTalk();
    await talk.greet();
    await talk.call(1, 'echo', { text: 'x' });
    void talk.call(2, 'die');
    expect(await talk.exitCode).toBe(3);
    talk.recording.finish();
    expect(talk.recordedCalls()).toEqual(talk.serverCalls());
    expect(talk.recording.faults).toMatchObject([
      {
        code: 'MCP_SERVER_DIED',
        message:
          'The MCP server "tested" ended with exit code 3 while tools/call of die waited for an answer. Last lines of its stderr: out of luck',
      },
    ]);
    expect(talk.recording.problems).toEqual([expect.stringContaining('1 requests that were never answered')]);
    expect(talk.stderr).toBe('out of luck\n');
  });

  it.each([
    [
      'ends before the first request',
      'node',
      'dead',
      4,
      'ended with exit code 4. Last lines of its stderr: cannot find my config',
    ],
    ['is not there', 'no-such-program', '', 127, 'could not be started: '],
  ])('was never started when it %s', async (_, command, mode, exitCode, words) => {
    const definition = { transport: 'stdio' as const, command, args: [], env: {} };
    await using talk = await openTalk(command === 'node' ? { mode } : { definition });
    expect(await talk.exitCode).toBe(exitCode);
    talk.recording.finish();
    expect(talk.recording.faults).toMatchObject([
      { code: 'MCP_SERVER_NOT_STARTED', message: expect.stringContaining(words) },
    ]);
  });

  it('is not at fault when a signal ends it and it owes no answer, as some agents do it', async () => {
    await using talk = await openTalk();
    await talk.greet();
    await talk.call(1, 'leave');
    expect(await talk.exitCode).toBe(143);
    talk.recording.finish();
    expect(talk.recording.faults).toEqual([]);
  });

  it('is at fault when it is ended in the middle of a call', async () => {
    await using talk = await openTalk();
    await talk.greet();
    void talk.call(1, 'be-ended');
    expect(await talk.exitCode).toBe(143);
    talk.recording.finish();
    expect(talk.recording.faults).toMatchObject([
      { code: 'MCP_SERVER_DIED', message: expect.stringContaining('by the signal SIGTERM while tools/call') },
    ]);
  });

  it('is ended when the agent has gone, even if it does not want to', async () => {
    await using talk = await openTalk({ mode: 'stubborn' });
    await talk.greet();
    expect(await talk.hangUp()).toBe(137);
    expect(talk.recording.faults).toEqual([]);
  });

  it.each([
    ['junk', '1 lines of the server that are not messages, the first: Listening on stdio …'],
    ['wrong ids', '1 answers to unknown requests'],
    ['duplicates', '1 answers to unknown requests'],
    ['nonsense', '3 messages that are not objects'],
  ])('has it reported, and its other answers count: %s', async (mode, words) => {
    await using talk = await openTalk({ mode });
    await talk.greet();
    await talk.call(1, 'echo', { text: 'x' });
    await talk.ask(2, 'ping');
    await talk.hangUp();
    expect(talk.recordedCalls()).toEqual(talk.serverCalls());
    expect(talk.eventsOf('tool-result')).toMatchObject([{ result: { content: [{ text: 'x' }] } }]);
    expect(talk.recording.problems).toContainEqual(expect.stringContaining(words));
    expect(talk.recording.faults).toEqual([]);
  });

  it('cannot be judged when it changes its tools', async () => {
    await using talk = await openTalk({ mode: 'changing' });
    await talk.greet();
    await talk.ask(1, 'tools/list');
    await talk.ask(2, 'tools/list');
    await talk.hangUp();
    expect(talk.recording.faults).toMatchObject([
      { code: 'MCP_TOOLS_CHANGED', message: expect.stringContaining('"echo" has another title') },
    ]);
  });

  it('says whether its tools were not listed, or it has none', async () => {
    await using talk = await openTalk({ mode: 'good' });
    await talk.greet();
    await talk.hangUp();
    expect(talk.eventsOf('mcp-server')).toMatchObject([{ tools: [], isUnlisted: true }]);

    await using listed = await openTalk({ mode: 'empty' });
    await listed.greet();
    await listed.ask(1, 'tools/list');
    await listed.hangUp();
    expect(listed.eventsOf('mcp-server')).toMatchObject([{ tools: [] }]);
    expect(listed.eventsOf('mcp-server')[0]).not.toHaveProperty('isUnlisted');
  });

  it('can be judged when it announces that its tools changed, unless such changes are refused', async () => {
    await using talk = await openTalk({ mode: 'announcing' });
    await talk.greet();
    await talk.ask(1, 'tools/list');
    await talk.ask(2, 'tools/list');
    await talk.hangUp();
    expect(talk.recording.faults).toEqual([]);
    expect(talk.eventsOf('mcp-server')).toHaveLength(2);
    const announced = { direction: 'from-server', method: 'notifications/tools/list_changed' };
    expect(talk.eventsOf('mcp-notification')).toMatchObject([announced]);

    await using refusing = await openTalk({ mode: 'announcing', toolChanges: 'refuse' });
    await refusing.greet();
    await refusing.ask(1, 'tools/list');
    await refusing.ask(2, 'tools/list');
    await refusing.hangUp();
    expect(refusing.recording.faults).toMatchObject([
      { code: 'MCP_TOOLS_CHANGED', message: expect.stringContaining('"echo" has another title') },
    ]);
    expect(refusing.eventsOf('mcp-server')).toHaveLength(1);
  });
});

describe('an agent', () => {
  it('that never starts its server is reported', async () => {
    await using talk = await openTalk({ definition: { transport: 'stdio', command: 'true', args: [], env: {} } });
    await talk.exitCode;
    expect(talk.recording.unused).toEqual(['tested']);
    talk.recording.finish();
    expect(talk.recording.unused).toEqual([]);
  });

  it('that writes nonsense is reported', async () => {
    await using talk = await openTalk();
    await talk.greet();
    talk.write('{"jsonrpc":"2.0","id":1,"method":"tools/call"}\nhello\n{"jsonrpc":"2.0","id":null}\n');
    await talk.ask(2, 'ping');
    await talk.hangUp();
    expect(talk.recordedCalls()).toEqual([{ tool: 'undefined', input: {} }]);
    expect(talk.recording.problems).toEqual(
      expect.arrayContaining([expect.stringContaining('1 lines of the agent that are not messages, the first: hello')]),
    );
  });
});

describe('calls that are broken on purpose', () => {
  it('and that the agent gives up while they are delayed say nothing about the server', async () => {
    await using talk = await openTalk({ faults: [{ fault: 'latency', tool: 'echo', call: 1, ms: 600_000 }] });
    await talk.greet();
    void talk.call(1, 'echo', { text: 'late' });
    talk.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n');
    await talk.call(2, 'echo', { text: 'on time' });
    await talk.hangUp();
    const results = talk.eventsOf('tool-result').map(({ answeredBy, error }) => [answeredBy, error?.message]);
    expect(results).toContainEqual(['fault', 'The MCP server was delayed until the agent gave up']);
    expect(results).toContainEqual([undefined, undefined]);
    expect(talk.eventsOf('tool-control')).toMatchObject([{ fault: 'latency', callNumber: 1 }]);
    // The server never got the call that was delayed.
    expect(talk.serverCalls()).toEqual([{ tool: 'echo', input: { text: 'on time' } }]);
  });

  it('by a restart reach the agent as errors, and the new server answers it', async () => {
    await using talk = await openTalk({ faults: [{ fault: 'server-restart', tool: 'echo', call: 1 }] });
    await talk.greet();
    const lost = await talk.call(1, 'echo', { text: 'a' });
    expect(lost).toMatchObject({ error: { message: 'The MCP server restarted and lost the request' } });
    expect(await talk.call(2, 'echo', { text: 'b' })).toMatchObject({ result: expect.anything() });
    expect(await talk.hangUp()).toBe(0);
    expect(talk.eventsOf('tool-result').map(({ answeredBy }) => answeredBy)).toEqual(['fault', undefined]);
    expect(talk.serverLines('got').filter((line) => line.includes('"initialize"'))).toHaveLength(2);
  });
});
