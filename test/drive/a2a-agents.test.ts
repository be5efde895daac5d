import { describe, expect, it } from 'vitest';
import { startA2aAgent } from '../../src/testing/support/a2a-agent.ts';
import { runConversation, validateConversation } from '../../src/testing/support/conversation-run.ts';
import { reply, serve } from '../../src/testing/support/http-server.ts';

function talking(connector: object, more: object = {}) {
  return {
    name: 'Talk',
    connector: { type: 'a2a', ...connector },
    userMessages: ['Hello'],
    evaluators: [{ type: 'contains', config: { text: 'Booked' }, when: 'final' }],
    ...more,
  };
}

const parts = (text: string) => [{ text }];
const says = (text: string) => ({ messageId: 'm', role: 'ROLE_AGENT', parts: parts(text) });

describe('an A2A agent', () => {
  it('is asked for by its card, in version 1.0: a task that needs the user goes on with the next turn', async () => {
    const status = (state: string, text: string) => ({ state: `TASK_STATE_${state}`, message: says(text) });
    const agent = await startA2aAgent((_, number) => {
      const task = { id: 't-1', contextId: 'c-1' };
      if (number === 1) return { task: { ...task, status: status('INPUT_REQUIRED', 'Which day?') } };
      const artifacts = [{ artifactId: 'a', parts: [...parts('Booked: '), { data: { day: 'Monday' } }] }];
      return {
        task: { ...task, status: status('COMPLETED', 'Done'), artifacts, metadata: { usage: { input: 4, output: 2 } } },
      };
    });
    const { trial, trace } = await runConversation(
      talking(
        { baseUrl: agent.url, headers: { Authorization: 'Bearer a2a-key-0123456789' } },
        { userMessages: ['Hello', 'Monday'] },
      ),
    );
    expect(trial.outcome).toBe('pass');
    expect(agent.requests.map(({ method, params }) => [method, params.message])).toMatchObject([
      ['SendMessage', { role: 'ROLE_USER', parts: [{ text: 'Hello' }] }],
      ['SendMessage', { parts: [{ text: 'Monday' }], contextId: 'c-1', taskId: 't-1' }],
    ]);
    expect(agent.requests[0]?.headers).toMatchObject({
      'a2a-version': '1.0',
      authorization: 'Bearer a2a-key-0123456789',
    });
    const turns = trace.filter(({ type }) => type === 'turn');
    expect(turns).toMatchObject([
      { messages: [{ content: 'Which day?' }] },
      { messages: [{ content: 'Booked: {"day":"Monday"}' }], usage: { inputTokens: expect.any(Number) } },
    ]);
    expect(JSON.stringify(trace)).not.toContain('a2a-key-0123456789');
  });

  it('is spoken to in version 0.3 where its card says so', async () => {
    const message = { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'Booked.' }] };
    const agent = await startA2aAgent(() => message, { version: '0.3' });
    expect((await runConversation(talking({ baseUrl: agent.url }))).trial.outcome).toBe('pass');
    expect(agent.requests).toMatchObject([
      {
        method: 'message/send',
        params: { message: { kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'Hello' }] } },
      },
    ]);
  });

  it('is followed while it works on its task', async () => {
    const agent = await startA2aAgent((_, number) => {
      const task = {
        id: 't-1',
        contextId: 'c-1',
        status: { state: number < 3 ? 'TASK_STATE_WORKING' : 'TASK_STATE_COMPLETED' },
      };
      if (number === 1) return { task };
      return { ...task, artifacts: number < 3 ? [] : [{ artifactId: 'a', parts: parts('Booked.') }] };
    });
    const { trial } = await runConversation(talking({ baseUrl: agent.url, config: { pollSecs: 0.05 } }));
    expect(trial.outcome).toBe('pass');
    expect(agent.requests.map(({ method, params }) => [method, params.id])).toEqual([
      ['SendMessage', undefined],
      ['GetTask', 't-1'],
      ['GetTask', 't-1'],
    ]);
  });

  it.each(['1.0', '0.3'] as const)('streams its answer in version %s', async (version) => {
    const ids = { taskId: 't-1', contextId: 'c-1' };
    const artifact = (text: string) => ({
      artifactId: 'a',
      parts: version === '1.0' ? parts(text) : [{ kind: 'text', text }],
    });
    const agent = await startA2aAgent(
      () =>
        version === '1.0'
          ? [
              { task: { id: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_SUBMITTED' } } },
              { artifactUpdate: { ...ids, artifact: artifact('Boo') } },
              { artifactUpdate: { ...ids, artifact: artifact('ked.'), append: true } },
              { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' } } },
            ]
          : [
              { kind: 'task', id: 't-1', contextId: 'c-1', status: { state: 'submitted' } },
              { kind: 'artifact-update', ...ids, artifact: artifact('Boo') },
              { kind: 'artifact-update', ...ids, artifact: artifact('ked.'), append: true },
              { kind: 'status-update', ...ids, status: { state: 'completed' }, final: true },
            ],
      { version },
    );
    const { trial, trace } = await runConversation(talking({ baseUrl: agent.url, config: { stream: true } }));
    expect(trial.outcome).toBe('pass');
    expect(agent.requests[0]?.method).toBe(version === '1.0' ? 'SendStreamingMessage' : 'message/stream');
    expect(trace.find(({ type }) => type === 'turn')).toMatchObject({
      messages: [{ content: 'Booked.' }],
      timeToFirstTokenMs: expect.any(Number),
    });
  });

  it.each([
    [
      'fails its task',
      { task: { id: 't', status: { state: 'TASK_STATE_FAILED', message: says('no database') } } },
      'as failed: no database',
    ],
    ['reports an error', { error: { code: -32603, message: 'Internal error' } }, 'error -32603: Internal error'],
    [
      'needs to be authenticated',
      { task: { id: 't', status: { state: 'TASK_STATE_AUTH_REQUIRED' } } },
      'as auth-required',
    ],
    ['answers with something else', { hello: 'world' }, 'neither a message nor a task'],
    [
      'works without naming its task',
      { task: { status: { state: 'TASK_STATE_WORKING' } } },
      'neither a message nor a task',
    ],
    ['never ends its task', { task: { id: 't', status: { state: 'TASK_STATE_WORKING' } } }, 'within'],
  ])('makes the trial an error when it %s', async (_, result, reason) => {
    const agent = await startA2aAgent(() => result);
    const connector = { baseUrl: agent.url, config: { pollSecs: 0.1 } };
    const { trial, exitCode } = await runConversation(
      talking(connector, { timeoutSecs: reason === 'within' ? 1 : 30 }),
    );
    expect([trial.outcome, exitCode]).toEqual(['error', 3]);
    expect(trial.reason).toContain(reason);
  });

  it('is refused without a card that can be used, and keys are sent to its own origin only', async () => {
    const reasonAt = async (baseUrl: string) => (await runConversation(talking({ baseUrl }))).trial.reason;
    expect(await reasonAt(await serve(reply(404, '')))).toContain('HTTP 404');
    expect(await reasonAt(await serve(reply(200, '[]')))).toContain('is not a JSON object');
    const grpc = {
      supportedInterfaces: [{ url: 'http://127.0.0.1:1', protocolBinding: 'GRPC', protocolVersion: '1.0' }],
    };
    expect(await reasonAt((await startA2aAgent(() => ({}), { card: grpc })).url)).toContain('only GRPC');
    const elsewhere = {
      supportedInterfaces: [{ url: 'http://127.0.0.1:1', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    };
    const agent = await startA2aAgent(() => ({ message: says('Booked.') }), { card: elsewhere });
    expect(await reasonAt(agent.url)).toContain('another origin');
    const config = { url: `${agent.url}/rpc` };
    expect((await runConversation(talking({ baseUrl: agent.url, config }))).trial.outcome).toBe('pass');
    const wrong = await validateConversation(talking({ baseUrl: agent.url, config: { pollSecs: 0, streaming: true } }));
    expect(wrong.exitCode).toBe(2);
    for (const key of ['pollSecs', 'streaming']) expect(wrong.stdout + wrong.stderr).toContain(key);
  });
});
