import { describe, expect, it } from 'vitest';
import type { Message } from '../../domain/message.ts';
import { eventsOf } from '../../domain/trace.ts';
import { turnsOf } from '../../domain/turn.ts';
import { configOf, endOf, linesOf, noticesOf, talk } from '../../testing/fakes/conversation/talk.ts';

const echo = ({ messages }: { readonly messages: readonly Message[] }): string => `heard ${messages.length}`;

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

describe('who speaks', () => {
  it('fixed messages are said one after the other, and the last answer is known to be the last', async () => {
    const { trace, lastFlags, error } = await talk(echo, configOf({ userMessages: ['one', 'two', 'three'] }));
    expect(error).toBeUndefined();
    expect(linesOf(trace)).toEqual([
      'user: one',
      'assistant: heard 1',
      'user: two',
      'assistant: heard 3',
      'user: three',
      'assistant: heard 5',
    ]);
    expect(lastFlags).toEqual([false, false, true]);
    expect(endOf(trace)).toEqual(['no-more-messages: The user has no more messages']);
  });

  it('messages of the scenario come before those of the persona', async () => {
    const config = configOf({ userMessages: ['mine'], personas: { ann: { name: 'Ann', messages: ["Ann's"] } } });
    const { trace } = await talk(echo, config, { variant: { persona: 'ann' } });
    expect(linesOf(trace).filter((line) => line.startsWith('user'))).toEqual(['user: mine', "user: Ann's"]);
  });

  it.each([
    ['the agent goes first after a user', [user('hello')], ['user: hello', 'assistant: heard 1']],
    [
      'the user goes first after an assistant',
      [assistant('Welcome!')],
      ['assistant: Welcome!', 'user: next', 'assistant: heard 2'],
    ],
    ['the user goes first in an empty conversation', [], ['user: next', 'assistant: heard 1']],
    [
      'system messages do not count',
      [user('hello'), { role: 'system' as const, content: 'be rude' }],
      ['user: hello', 'system: be rude', 'assistant: heard 1'],
    ],
  ])('%s', async (_name, messages, expected) => {
    const { trace } = await talk(echo, configOf({ messages, userMessages: ['next'], maxMessages: 2 }));
    expect(linesOf(trace).slice(0, expected.length)).toEqual(expected);
  });

  it('a first message of the user without anything after it is one turn', async () => {
    const { lastFlags } = await talk(echo, configOf({ messages: [user('hello')] }));
    expect(lastFlags).toEqual([true]);
  });
});

describe('the request to the agent', () => {
  it('has the whole conversation without system messages, and how much of it was seen', async () => {
    const config = configOf({
      messages: [{ role: 'system', content: 'secret' }, assistant('Hi')],
      userMessages: ['one', 'two'],
    });
    const { requests } = await talk(() => 'ok', config, { variant: { model: 'm' } });
    expect(
      requests.map(({ messages, seenCount, turn, conversationId, model }) => ({
        texts: messages.map(({ content }) => content),
        seenCount,
        turn,
        conversationId,
        model,
      })),
    ).toEqual([
      { texts: ['Hi', 'one'], seenCount: 0, turn: 1, conversationId: 't-1', model: 'm' },
      { texts: ['Hi', 'one', 'ok', 'two'], seenCount: 3, turn: 2, conversationId: 't-1', model: 'm' },
    ]);
  });

  it("carries the persona's headers and the signal of the trial", async () => {
    const personas = { ann: { name: 'Ann', messages: ['hi'], headers: { 'x-user': '${WHO}' } } };
    const controller = new AbortController();
    const { requests } = await talk(() => 'ok', configOf({ personas }), {
      variant: { persona: 'ann' },
      context: { env: { WHO: 'ann-7' } },
      signal: controller.signal,
    });
    expect(requests[0]?.headers).toEqual({ 'x-user': 'ann-7' });
    expect(requests[0]?.signal).toBe(controller.signal);
  });
});

describe('where it ends', () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 2],
    [5, 2],
    [6, 3],
  ])('at most %i messages are %i turns', async (maxMessages, turns) => {
    const script = Array(9).fill('again');
    const { lastFlags, error } = await talk(echo, configOf({ userMessages: script, maxMessages }));
    expect(lastFlags).toHaveLength(turns);
    // The rest of the script was planned, so the trial is not over.
    expect(lastFlags.at(-1)).toBe(false);
    expect(error).toMatchObject({ code: 'TURN_MISSING' });
    expect((await talk(echo, configOf({ userMessages: script }))).lastFlags).toHaveLength(script.length);
  });

  it('as many first messages as there may be still leave one answer', async () => {
    const messages = [user('a'), assistant('b'), user('c')];
    const { lastFlags, trace } = await talk(echo, configOf({ messages, maxMessages: 2 }));
    expect(lastFlags).toEqual([true]);
    expect(noticesOf(trace)[0]).toBe('The first 3 messages leave room for only one answer');
  });

  it('when it is decided, without another word', async () => {
    const decisions = ['go on', 'stop'] as const;
    let turn = 0;
    const { lastFlags, requests } = await talk(echo, configOf({ userMessages: ['1', '2', '3', '4'] }), {
      afterTurn: async () => decisions[turn++] ?? 'go on',
    });
    expect(lastFlags).toEqual([false, false]);
    expect(requests).toHaveLength(2);
  });

  it.each([
    ['tool calls alone', { role: 'assistant', content: null, tool_calls: [call('c1', '{}')] }],
    ['empty text', { role: 'assistant', content: '' }],
    ['blank text', { role: 'assistant', content: ' \n' }],
  ] satisfies [string, Message][])('answers with %s do not count, and still it ends', async (_name, message) => {
    const { lastFlags, error } = await talk(
      () => [message],
      configOf({ userMessages: Array(50).fill('go'), maxMessages: 4 }),
    );
    expect(error).toMatchObject({ code: 'TURN_MISSING' });
    expect(lastFlags).toEqual([false, false, false]);
  });
});

function call(id: string, input: string) {
  return { id, type: 'function' as const, function: { name: 'book', arguments: input } };
}

describe('what is kept', () => {
  it('words, tool calls, results, usage and the exchange are events, and then comes the turn', async () => {
    const messages: Message[] = [
      { role: 'assistant', content: 'Looking', tool_calls: [call('c1', '{"day":"Monday"}'), call('c2', 'no JSON')] },
      { role: 'tool', content: 'free', tool_call_id: 'c1' },
      assistant('Booked BK-12345'),
    ];
    const answer = {
      messages,
      latencyMs: 12,
      timeToFirstTokenMs: 3,
      usage: { inputTokens: 1, outputTokens: 2 },
      costUsd: 0.5,
      model: 'gpt',
      raw: { request: 'q', response: 'a' },
    };
    const { trace } = await talk(() => answer, configOf({ userMessages: ['Book'] }));
    const bare = trace.map(({ at: _at, ...event }) => event);
    expect(bare).toEqual([
      { type: 'message', seenBy: 'engine', role: 'user', text: 'Book' },
      { type: 'other', seenBy: 'recorder', kind: 'exchange', data: answer.raw },
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'Looking' },
      { type: 'tool-call', seenBy: 'agent', callId: 'c1', tool: 'book', input: { day: 'Monday' } },
      { type: 'tool-call', seenBy: 'agent', callId: 'c2', tool: 'book', input: 'no JSON' },
      { type: 'tool-result', seenBy: 'agent', callId: 'c1', result: 'free' },
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'Booked BK-12345' },
      { type: 'usage', seenBy: 'agent', inputTokens: 1, outputTokens: 2, model: 'gpt', costUsd: 0.5 },
      {
        type: 'turn',
        seenBy: 'recorder',
        number: 1,
        messages,
        latencyMs: 12,
        timeToFirstTokenMs: 3,
        usage: answer.usage,
        costUsd: 0.5,
      },
      {
        type: 'conversation-ended',
        seenBy: 'engine',
        why: 'no-more-messages',
        reason: 'The user has no more messages',
      },
    ]);
  });

  it('each answer is its own turn, without the messages of the user that an agent repeats', async () => {
    const parrot = [user('one'), { role: 'system' as const, content: 'obey' }, assistant('fine')];
    const { trace } = await talk(() => parrot, configOf({ userMessages: ['one', 'two'] }));
    expect(turnsOf(trace).map(({ number, messages }) => [number, messages])).toEqual([
      [1, [assistant('fine')]],
      [2, [assistant('fine')]],
    ]);
    expect(eventsOf(trace, 'message').filter(({ role }) => role === 'system')).toEqual([]);
  });
});

describe('an agent that cannot be reached', () => {
  it('answers nothing at all', async () => {
    const { error, trace } = await talk(() => [], configOf({ userMessages: ['hi'] }));
    expect(error).toMatchObject({ code: 'TARGET_CRASHED', blame: 'target' });
    expect(linesOf(trace)).toEqual(['user: hi']);
  });

  it('answers with what cannot be used, and was paid for', async () => {
    const call = { id: 'c', type: 'function' as const, function: { name: '', arguments: '{}' } };
    const nameless = {
      messages: [{ ...assistant('hm'), tool_calls: [call] }],
      usage: { inputTokens: 9 },
      costUsd: 0.5,
    };
    const { error, trace } = await talk(() => nameless, configOf({ userMessages: ['hi'] }));
    expect(error).toMatchObject({ code: 'TARGET_CRASHED' });
    expect(eventsOf(trace, 'usage')).toMatchObject([{ inputTokens: 9, costUsd: 0.5 }]);
  });

  it('ends with the result of a tool and without words, which were lost', async () => {
    const call = { id: 'c', type: 'function' as const, function: { name: 'look', arguments: '{}' } };
    const result: Message = { role: 'tool', tool_call_id: 'c', content: 'ok' };
    const silent: Message[] = [{ role: 'assistant', content: null, tool_calls: [call] }, result];
    const { trace } = await talk(() => silent, configOf({ userMessages: ['hi'] }));
    expect(eventsOf(trace, 'gap')).toMatchObject([{ channels: ['answers', 'tool-calls'] }]);
  });

  it('fails in a way that its connector does not know', async () => {
    const broken = (): never => {
      throw new TypeError('x is not a function');
    };
    const { error } = await talk(broken, configOf({ userMessages: ['hi'] }));
    expect(error).toMatchObject({
      code: 'TARGET_CRASHED',
      message: 'The connector failed: x is not a function',
    });
  });
});
