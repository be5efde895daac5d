import { describe, expect, it } from 'vitest';
import { openTalk } from '../../../testing/fakes/mcp/open-talk.ts';

const wording = {
  echo: { name: 'say', description: 'Repeats a sentence', arguments: { text: 'the sentence' } },
  fail: { title: 'Break' },
};

interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> };
}

describe('a proxy with another wording', () => {
  it('shows the agent the new words, and the server its own', async () => {
    await using talk = await openTalk({ wording });
    await talk.greet();
    const { result } = await talk.ask(1, 'tools/list');
    const { tools } = result as { tools: ListedTool[] };
    expect(tools.map(({ name }) => name)).toEqual(['say', 'repeat', 'fail', 'wait', 'die']);
    expect(tools[0]).toMatchObject({
      description: 'Repeats a sentence',
      inputSchema: { properties: { text: { type: 'string', description: 'the sentence' } } },
    });
    expect(tools[2]).toMatchObject({ title: 'Break', description: 'Fails' });
    expect(await talk.call(2, 'say', { text: 'hello' })).toMatchObject({ result: { content: [{ text: 'hello' }] } });
    expect(await talk.call(3, 'repeat', { text: 'a', times: 2 })).toMatchObject({ result: {} });
    await talk.hangUp();
    expect(talk.serverCalls()).toEqual([
      { tool: 'echo', input: { text: 'hello' } },
      { tool: 'repeat', input: { text: 'a', times: 2 } },
    ]);
    expect(talk.recordedCalls()).toEqual(talk.serverCalls());
    expect(talk.recording.faults).toEqual([]);
  });

  it('pins what the server says, not what the agent reads', async () => {
    const pins: unknown[] = [];
    for (const worded of [undefined, wording]) {
      await using talk = await openTalk(worded ? { wording: worded } : {});
      await talk.greet();
      await talk.ask(1, 'tools/list');
      await talk.hangUp();
      pins.push(talk.eventsOf('mcp-server')[0]?.tools);
    }
    expect(pins[1]).toEqual(pins[0]);
  });

  it('keeps calls of a name that was taken away from the server, and puts them on record as failed', async () => {
    await using talk = await openTalk({ wording });
    await talk.greet();
    const refused = await talk.call(1, 'echo', { text: 'hello' });
    expect(refused).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Unknown tool: echo' } });
    await talk.hangUp();
    expect(talk.serverCalls()).toEqual([]);
    expect(talk.recordedCalls()).toEqual([{ tool: 'echo', input: { text: 'hello' } }]);
    expect(talk.eventsOf('tool-result')).toMatchObject([{ error: { message: 'Unknown tool: echo' } }]);
  });

  it('leaves every other byte as it is', async () => {
    await using talk = await openTalk({ wording });
    await talk.greet();
    const spaced =
      '{"jsonrpc" :"2.0","id":5, "method":"tools/call","params":{"name":"repeat","arguments":{"text":"b","times":1}}}';
    talk.write(`${spaced}\n`);
    await talk.ask(6, 'ping');
    await talk.hangUp();
    expect(talk.serverLines('got')).toContain(spaced);
    expect(talk.received).toBe(`${talk.serverLines('sent').join('\n')}\n`);
  });

  it('understands several messages in one line', async () => {
    await using talk = await openTalk({ wording });
    await talk.greet();
    const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
    talk.write(`${JSON.stringify([call(1, 'say'), call(2, 'echo')])}\n`);
    await talk.ask(3, 'ping');
    await talk.hangUp();
    expect(talk.serverLines('got')).toContain(JSON.stringify([call(1, 'echo')]));
    expect(talk.received).toContain('"Unknown tool: echo"');
    expect(talk.recordedCalls()).toMatchObject([{ tool: 'echo' }, { tool: 'echo' }]);
  });

  it('cannot be judged when the wording does not fit the server', async () => {
    await using talk = await openTalk({ wording: { ecko: { description: 'Repeats' } } });
    await talk.greet();
    await talk.ask(1, 'tools/list');
    await talk.hangUp();
    expect(talk.recording.faults).toMatchObject([
      { code: 'FILE_INVALID', message: expect.stringContaining('"ecko"'), hint: expect.stringContaining('echo') },
    ]);
  });
});
