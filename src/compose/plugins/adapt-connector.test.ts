import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import type { Message } from '../../domain/message.ts';
import type { Connector, ConnectorRequest, ConnectorResponse } from '../../drive/connectors/connector.ts';
import { Threads } from '../../drive/targets/call/threads.ts';
import { adaptConnector } from './adapt-connector.ts';
import type { ConnectorContext, ConnectorPlugin } from './connector-plugin.ts';

const settings = { baseUrl: 'http://agent', headers: { Authorization: 'from connector', 'X-Team': 'a' } };
const hello: Message = { role: 'user', content: 'Hello' };
const hi: Message = { role: 'assistant', content: 'Hi' };

function request(more: Partial<ConnectorRequest> = {}): ConnectorRequest {
  const { signal } = new AbortController();
  const rest = { conversationId: 'c', turn: 1, headers: {}, model: undefined, signal };
  return { messages: [hello], seenCount: 0, ...rest, ...more };
}

function opened(plugin: object, config: unknown = {}): Promise<Connector> {
  const context = { directory: '/', env: {}, threads: new Threads(), signal: new AbortController().signal };
  return adaptConnector({ type: 'sample', label: 'Sample', ...plugin } as ConnectorPlugin).open(
    config,
    settings,
    context,
  );
}

async function invoked(
  invoke: (context: ConnectorContext) => unknown,
  more: Partial<ConnectorRequest> = {},
): Promise<ConnectorResponse> {
  return (await opened({ invoke })).invoke(request(more));
}

describe('the answer of a connector', () => {
  it('may be a text', async () => {
    const { messages, latencyMs } = await invoked(() => 'Hi');
    expect(messages).toEqual([hi]);
    expect(latencyMs).toBeGreaterThanOrEqual(0);
  });

  it('may have all that is known of a turn', async () => {
    const figures = { latencyMs: 12, timeToFirstTokenMs: 3, costUsd: 0.5, model: 'm', threadId: 't' };
    const tokenUsage = { input: 1, output: 2, total: 3 };
    expect(
      await invoked(async () => ({ success: true, messages: [hi], ...figures, tokenUsage, rawResponse: 'raw' })),
    ).toEqual({
      messages: [hi],
      ...figures,
      usage: { inputTokens: 1, outputTokens: 2 },
      raw: { request: undefined, response: 'raw' },
    });
  });

  it.each([
    { tokenUsage: { input: 1, output: 2 } },
    { tokensUsage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } },
    { usage: { prompt_tokens: 1, completion_tokens: 2 } },
  ])('may count tokens in any usual spelling: %o', async (spelled) => {
    const { usage } = await invoked(() => ({ messages: [hi], ...spelled }));
    expect(usage).toEqual({ inputTokens: 1, outputTokens: 2 });
  });

  it('holds what the agent added, even where the whole conversation comes back', async () => {
    expect((await invoked(() => ({ messages: [hello, hi] }))).messages).toEqual([hi]);
    const earlier = [hello, hi, { role: 'user', content: 'More' } as const];
    const again = { role: 'assistant', content: 'Again' } as const;
    expect((await invoked(() => ({ messages: [...earlier, again] }), { messages: earlier })).messages).toEqual([again]);
  });

  it('keeps tool calls', async () => {
    const call = { id: '1', type: 'function' as const, function: { name: 'book', arguments: '{}' } };
    const { messages } = await invoked(() => ({
      messages: [{ role: 'assistant', content: null, tool_calls: [call] }],
    }));
    expect(messages).toEqual([{ role: 'assistant', content: null, tool_calls: [call] }]);
  });

  it.each([
    ['nothing', undefined],
    ['a number', 5],
    ['a list', [hi]],
    ['no messages', {}],
    ['an empty list of messages', { messages: [] }],
    ['what the user said', { messages: [hello] }],
    ['a message that is none', { messages: ['x', null] }],
    ['an empty message', { messages: [{ role: 'assistant' }] }],
  ])('is refused when it is junk: %s', async (_name, given) => {
    await expect(invoked(async () => given)).rejects.toMatchObject({
      code: 'TARGET_OUTPUT_NOT_JSON',
      blame: 'target',
      message: expect.stringContaining('returned no usable answer'),
    });
  });
});

describe('a connector that cannot answer', () => {
  const thrown = (error: unknown) => invoked(() => Promise.reject(error));

  it.each([
    ['says so', () => invoked(() => ({ success: false, error: 'no credit' })), 'TARGET_CRASHED', 'no credit'],
    ['throws', () => thrown(new Error('no luck')), 'TARGET_CRASHED', 'Connector "sample": no luck'],
    ['throws a text', () => thrown('no luck'), 'TARGET_CRASHED', 'Connector "sample": no luck'],
    ['throws nothing', () => thrown(undefined), 'TARGET_CRASHED', 'Connector "sample": undefined'],
    [
      'finds no server',
      () =>
        thrown(new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) })),
      'TARGET_UNREACHABLE',
      'Connector "sample": fetch failed: refused',
    ],
    [
      'waits too long',
      () => thrown(new DOMException('late', 'TimeoutError')),
      'TARGET_TIMEOUT',
      'Connector "sample": late',
    ],
    ['knows our errors', () => thrown(new AssayError('TARGET_UNREACHABLE', 'gone')), 'TARGET_UNREACHABLE', 'gone'],
  ])('blames the target: it %s', async (_name, ask, code, message) => {
    await expect(ask()).rejects.toMatchObject({ code, message, blame: 'target' });
  });

  it('is left alone when no caller waits for it', async () => {
    const reason = new Error('time is up');
    const signal = AbortSignal.abort(reason);
    await expect(invoked(() => new Promise(() => {}), { signal })).rejects.toBe(reason);
  });
});

describe('what a connector is given', () => {
  it('is the conversation and who asks', async () => {
    let given: ConnectorContext | undefined;
    const messages = [hello, hi, { role: 'user', content: 'More' } as const];
    const headers = { authorization: 'from persona' };
    await invoked(
      (context) => {
        given = context;
        return 'Hi';
      },
      { messages, seenCount: 2, headers, turn: 2, model: 'm' },
    );
    expect(given).toMatchObject({ messages, newMessages: [messages[2]], turn: 2, model: 'm', baseUrl: 'http://agent' });
    expect(given?.headers).toEqual({ authorization: 'from persona', 'x-team': 'a' });
  });

  it('is the thread that its own earlier answer named, for each conversation', async () => {
    const threadIds: unknown[] = [];
    const connector = await opened({
      invoke: ({ conversationId, threadId }: ConnectorContext) => {
        threadIds.push(threadId);
        return { messages: [hi], threadId: `thread of ${conversationId}` };
      },
    });
    for (const conversationId of ['a', 'b', 'a']) await connector.invoke(request({ conversationId }));
    expect(threadIds).toEqual([undefined, undefined, 'thread of a']);
  });

  it('is its config as its schema reads it', async () => {
    const plugin = {
      configSchema: z.object({ path: z.string().default('/chat') }),
      invoke: ({ config }: ConnectorContext) => String(config.path),
    };
    expect((await (await opened(plugin)).invoke(request())).messages).toEqual([
      { role: 'assistant', content: '/chat' },
    ]);
  });

  it('is a copy, which it may spoil', async () => {
    const messages = [{ ...hello }];
    await invoked(
      (context) => {
        context.messages.length = 0;
        return 'Hi';
      },
      { messages },
    );
    expect(messages).toEqual([hello]);
  });
});

describe('a connector that is opened', () => {
  it('owns what it opened, and is guarded as well', async () => {
    let isOpen = false;
    const connector = await opened({
      summary: 'keeps a connection',
      open: async () => {
        isOpen = true;
        return {
          invoke: async () => ({ messages: 'junk' }),
          [Symbol.asyncDispose]: async () => {
            isOpen = false;
          },
        };
      },
    });
    expect(isOpen).toBe(true);
    await expect(connector.invoke(request())).rejects.toMatchObject({ code: 'TARGET_OUTPUT_NOT_JSON' });
    await connector[Symbol.asyncDispose]();
    expect(isOpen).toBe(false);
  });
});

describe('the test of a connector', () => {
  const tested = (test: () => unknown) => {
    const kind = adaptConnector({ type: 'sample', label: 'Sample', invoke: () => 'Hi', test });
    return kind.test?.({}, settings, new AbortController().signal);
  };

  it.each([
    ['nothing', () => undefined, { success: true }],
    ['true', () => true, { success: true }],
    ['a success', async () => ({ success: true, latencyMs: 3 }), { success: true }],
    ['false', () => false, { success: false, error: 'the endpoint is not available' }],
    ['an error', () => ({ success: false, error: 'down' }), { success: false, error: 'down' }],
    ['a rejection', () => Promise.reject(new Error('down')), { success: false, error: 'down' }],
  ])('understands %s', async (_name, test, expected) => {
    expect(await tested(test)).toMatchObject(expected);
  });

  it('is there only where the plug-in has one', () => {
    expect(adaptConnector({ type: 'sample', label: 'Sample', invoke: () => 'Hi' }).test).toBeUndefined();
  });
});
