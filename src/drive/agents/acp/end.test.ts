import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openTestingSession } from '../../../testing/fakes/agents/testing-session.ts';
import { only } from '../../../testing/fakes/agents/testing-stream.ts';
import type { AgentReport } from '../agent.ts';
import { acp } from './acp.ts';

type Request = NonNullable<Parameters<typeof openTestingSession>[0]>;

const agent = `${process.execPath} ${fileURLToPath(new URL('./fixtures/scripted-agent.mjs', import.meta.url))}`;

interface Followed {
  readonly report: AgentReport;
  readonly printed: string;
  readonly notices: object[];
  readonly others: object[];
}

async function follow(steps: readonly object[], options: object = {}, request: Request = {}): Promise<Followed> {
  const command = `${agent} '${JSON.stringify(options)}'`;
  const settings = { command, ...request.settings };
  await using testing = await openTestingSession({ ...request, prompt: JSON.stringify(steps), settings });
  const report = await acp.drive(testing.session);
  const printed = only(testing.events, 'output').map((event) => (event as { text: string }).text);
  const [notices, others] = [only(testing.events, 'notice'), only(testing.events, 'other')];
  return { report, printed: printed.join(''), notices, others };
}

describe('the end of an agent on the Agent Client Protocol', () => {
  it('in mid-prompt with an exit code does not complete it', async () => {
    const { report } = await follow([{ say: 'working' }, { complain: 'out of luck' }, { exit: 3 }]);
    expect(report).toMatchObject({ completed: false, reason: 'exit code 3: out of luck', fault: undefined });
    expect(report.exit.exitCode).toBe(3);
  });

  it('in mid-prompt with exit code 0 does not complete it either', async () => {
    const { report } = await follow([{ say: 'working' }, { exit: 0 }]);
    expect(report).toMatchObject({ completed: false, reason: 'it ended before it had answered the prompt' });
  });

  it('before it did anything is a fault', async () => {
    const { report } = await follow([{ exit: 0 }]);
    expect(report.fault).toMatchObject({ code: 'AGENT_FAILED' });
    const missing = await follow([], {}, { settings: { command: 'there-is-no-such-agent' } });
    expect(missing.report.fault).toMatchObject({ code: 'AGENT_FAILED', message: expect.stringContaining('not found') });
  });

  it('by a signal is a crash', async () => {
    const { report } = await follow([{ say: 'working' }, { kill: 'SIGKILL' }]);
    expect(report.fault).toMatchObject({ code: 'AGENT_CRASHED' });
  });

  it('by the time limit is reported as such', async () => {
    const { report } = await follow(
      [{ say: 'working' }, { say: ' on' }, { hang: 1 }],
      {},
      {
        onLine: (line, testing) => {
          if (line.includes(' on')) testing.end('time');
        },
      },
    );
    expect(report).toMatchObject({ completed: false, reason: 'stopped at the time limit', fault: undefined });
  });

  it('by the user is not a crash', async () => {
    const { report } = await follow(
      [{ say: 'working' }, { hang: 1 }],
      {},
      {
        onLine: (line, testing) => {
          if (line.includes('working')) testing.end('interrupt');
        },
      },
    );
    expect(report).toMatchObject({ completed: false, reason: 'interrupted', fault: undefined });
  });

  it('with an error of its provider blames the model', async () => {
    const { report } = await follow([{ fail: { code: -32603, message: 'Internal error', data: { statusCode: 429 } } }]);
    expect(report.fault).toMatchObject({ code: 'MODEL_RATE_LIMITED', blame: 'model' });
  });

  it('with a refusal does not complete it', async () => {
    const { report } = await follow([{ say: 'no' }, { stop: 'refusal' }]);
    expect(report).toMatchObject({ completed: false, reason: 'the model refused to continue', fault: undefined });
  });

  it('is well also when its process has to be ended', async () => {
    const { report } = await follow([{ say: 'done' }], { ignoresEnd: true });
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined });
    expect(report.exit.signal).toBe('SIGTERM');
  });

  it('comes at the limit of turns', async () => {
    const call = (toolCallId: string): object => ({
      frame: {
        method: 'session/update',
        params: {
          update: {
            sessionUpdate: 'tool_call',
            toolCallId,
            kind: 'execute',
            rawInput: { command: 'x' },
            status: 'completed',
          },
        },
      },
    });
    const steps = [call('a'), call('b'), call('c'), { hang: 1 }];
    const { report, printed } = await follow(steps, {}, { maxTurns: 2 });
    expect(report).toMatchObject({ completed: false, reason: 'stopped at the limit of 2 turns', fault: undefined });
    expect(printed).toContain('notified session/cancel');
  });
});

describe('how a session of the Agent Client Protocol is opened', () => {
  it('with the work directory, the MCP servers and what we can do', async () => {
    const mcpServers = {
      files: { command: 'mcp-files', args: ['-x'], env: { A: 'b' } },
      web: { url: 'https://mcp.example/', headers: { 'X-Key': 'k' } },
    };
    const { printed } = await follow([], { showsInitialize: true, showsSession: true }, { mcpServers });
    const [initialize, session] = printed.split('\n').map((line) => (line === '' ? {} : JSON.parse(line)));
    expect(initialize).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    });
    expect(session).toEqual({
      cwd: expect.stringMatching(/work$/),
      mcpServers: [
        { name: 'files', command: 'mcp-files', args: ['-x'], env: [{ name: 'A', value: 'b' }] },
        { type: 'http', name: 'web', url: 'https://mcp.example/', headers: [{ name: 'X-Key', value: 'k' }] },
      ],
    });
  });

  it('with the key of the environment where a login is required', async () => {
    const authMethods = [
      { id: 'oauth', name: 'Log in' },
      { id: 'test-api-key', name: 'Use a key' },
    ];
    const { report } = await follow([{ say: 'in' }], { needsLogin: true, authMethods });
    expect(report.completed).toBe(true);
  });

  it('not at all where only a person can log in', async () => {
    const { report } = await follow([], { needsLogin: true, authMethods: [{ id: 'oauth', name: 'Log in' }] });
    expect(report.fault).toMatchObject({ code: 'AGENT_NO_KEY' });
  });

  it('with the requested model', async () => {
    const option = { id: 'llm', category: 'model', currentValue: 'a', options: [{ value: 'a' }, { value: 'b' }] };
    const session = { configOptions: [option] };
    expect((await follow([], { session }, { model: 'b' })).printed).toContain('chosen llm=b');
    expect((await follow([], { session }, { model: 'a' })).printed).not.toContain('chosen');
    const models = { currentModelId: 'a', availableModels: [{ modelId: 'c' }] };
    expect((await follow([], { session: { models } }, { model: 'c' })).printed).toContain('chosen c');
    const refused = await follow([], { session }, { model: 'unknown' });
    expect(refused.report.fault).toMatchObject({ code: 'AGENT_FAILED', hint: expect.stringContaining('a, b') });
    expect((await follow([], {}, { model: 'x' })).notices).toHaveLength(1);
  });

  it('with a model that is requested by its common name', async () => {
    const options = [
      { value: 'a', name: 'first' },
      { value: '$own|b', name: 'second' },
    ];
    const session = { configOptions: [{ id: 'llm', category: 'model', currentValue: 'a', options }] };
    expect((await follow([], { session }, { model: 'second' })).printed).toContain('chosen llm=$own|b');
    expect((await follow([], { session }, { model: 'first' })).printed).not.toContain('chosen');
  });

  it('and reports its name and version', async () => {
    const { others } = await follow([], { agentInfo: { name: 'sample', version: '1.2.3' } });
    expect(others).toContainEqual(
      expect.objectContaining({ kind: 'agent-info', data: { name: 'sample', version: '1.2.3' } }),
    );
  });

  it('only with a command', async () => {
    await using testing = await openTestingSession();
    await expect(acp.drive(testing.session)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
