import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { describeConnectorContract } from '../../testing/connector-contract.ts';
import { asking, goingOn } from '../../testing/fakes/connectors/opened.ts';
import { RunSessions } from '../mcp/sessions.ts';
import { Threads } from '../targets/call/threads.ts';
import { mcpAgentConnector } from './mcp-agent.ts';

const server = {
  transport: 'stdio',
  command: 'node',
  args: [fileURLToPath(new URL('../../testing/fakes/mcp/agent-server.mjs', import.meta.url))],
};

async function opened(written: object, baseUrl?: string) {
  const sessions = new RunSessions('1.0.0');
  const signal = new AbortController().signal;
  const context = { directory: '.', env: {}, threads: new Threads(), mcpSessions: async () => sessions, signal };
  onTestFinished(() => sessions[Symbol.asyncDispose]());
  return mcpAgentConnector.open(mcpAgentConnector.configSchema.parse(written), { baseUrl, headers: {} }, context);
}

const threaded = { message: '{{message}}', threadId: '{{threadId}}' };

describe('an agent behind a tool of an MCP server', () => {
  it('says what the result of the tool means', async () => {
    const connector = await opened({ server, tool: 'say' });
    expect(await connector.invoke(asking('hello'))).toMatchObject({
      messages: [{ role: 'assistant', content: 'Plainly: hello' }],
      latencyMs: expect.any(Number),
      raw: { request: { tool: 'say' } },
    });
  });

  it('keeps its thread between turns, and reports its tokens', async () => {
    const connector = await opened({ server, tool: 'chat', arguments: threaded });
    const first = asking('one');
    const answer = await connector.invoke(first);
    expect(answer).toMatchObject({ threadId: 'thread-1', usage: { inputTokens: 3, outputTokens: 4 } });
    const second = await connector.invoke(goingOn(first, answer.messages, 'two'));
    expect(second.messages).toEqual([{ role: 'assistant', content: 'Heard: one, two' }]);
    const other = await connector.invoke(asking('three', { conversationId: 'conversation-2' }));
    expect(other).toMatchObject({ threadId: 'thread-2', messages: [{ content: 'Heard: three' }] });
  });

  it('is at fault for a tool that fails and for a server that dies, which is started again for the next', async () => {
    const connector = await opened({ server, tool: 'chat' });
    await expect(connector.invoke(asking('fail'))).rejects.toMatchObject({
      code: 'TARGET_CRASHED',
      message: expect.stringContaining('the model of the agent is down'),
    });
    await expect(connector.invoke(asking('die'))).rejects.toMatchObject({ code: 'MCP_SERVER_DIED', blame: 'target' });
    expect((await connector.invoke(asking('again'))).messages).toEqual([
      { role: 'assistant', content: 'Heard: again' },
    ]);
  });

  it('must have the tool, and be somewhere', async () => {
    await expect(opened({ server, tool: 'chatt' })).rejects.toMatchObject({
      code: 'TARGET_NOT_LOADED',
      hint: 'Did you mean `chat`?',
    });
    await expect(opened({ tool: 'chat' })).rejects.toMatchObject({ code: 'TARGET_NOT_LOADED' });
    await expect(opened({ tool: 'chat' }, 'http://127.0.0.1:1/mcp')).rejects.toMatchObject({ blame: 'target' });
  });
});

const sessions = new RunSessions('1.0.0');
afterAll(() => sessions[Symbol.asyncDispose]());

describeConnectorContract(mcpAgentConnector, {
  config: { server, tool: 'chat' },
  badConfigs: [
    {},
    { tool: '' },
    { tool: 'chat', server: { transport: 'pigeon' } },
    { tool: 'x', arguments: { a: '{{b}}' } },
  ],
  context: { mcpSessions: async () => sessions },
});
