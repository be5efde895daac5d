import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Loss } from '../../../domain/loss.ts';
import { messageSchema } from '../../../domain/message.ts';
import { messageCalls, readMessage } from './messages.ts';

const call = { id: 'c1', type: 'function', function: { name: 'book', arguments: '{"day":"Monday"}' } };
const input = { day: 'Monday' };

describe('calls of tools', () => {
  it.each([
    ['OpenAI', call],
    ['OpenAI with an object', { id: 'c1', function: { name: 'book', arguments: input } }],
    ['LangChain', { id: 'c1', name: 'book', args: input, type: 'tool_call' }],
    ['Anthropic', { type: 'tool_use', id: 'c1', name: 'book', input }],
    ['the AI SDK', { toolCallId: 'c1', toolName: 'book', input }],
    ['actions', { action_id: 'c1', tool: 'book', params: input }],
    ['name and arguments', { id: 'c1', name: 'book', arguments: '{"day":"Monday"}' }],
  ])('are read in the spelling of %s', (_, written) => {
    expect(messageCalls([written], [])).toEqual([call]);
  });

  it('keep arguments that are no JSON as text', () => {
    expect(messageCalls([{ id: 'c1', function: { name: 'book', arguments: '{"day":' } }], [])).toEqual([
      { id: 'c1', type: 'function', function: { name: 'book', arguments: '{"day":' } },
    ]);
  });

  it('are given an id where they have none, no invented name, and a gap where they are not calls', () => {
    const gaps: Loss[] = [];
    expect(messageCalls([{ function: { arguments: '{}' } }, 'search', {}, 7], gaps)).toEqual([
      { id: 'call_1', type: 'function', function: { name: '', arguments: '{}' } },
      { id: 'call_2', type: 'function', function: { name: 'search', arguments: '{}' } },
    ]);
    expect(gaps.map(({ place }) => place)).toEqual(['tool_calls[2]', 'tool_calls[3]']);
  });

  it('have a gap where they came without their arguments, or are not a list', () => {
    const gaps: Loss[] = [];
    expect(messageCalls([{ id: 'c1', name: 'book' }], gaps)).toHaveLength(1);
    expect(messageCalls('none', gaps)).toEqual([]);
    expect(gaps).toMatchObject([
      { channels: ['tool-calls'], reason: 'a call of `book` came without its arguments' },
      { channels: ['tool-calls'], reason: 'a call is of an unknown kind' },
    ]);
  });
});

describe('a message', () => {
  it.each([
    [
      { role: 'assistant', content: 'Hi' },
      { role: 'assistant', content: 'Hi' },
    ],
    [
      { type: 'ai', content: 'Hi', id: 'm1' },
      { role: 'assistant', content: 'Hi', id: 'm1' },
    ],
    [
      { type: 'human', content: 'Hi' },
      { role: 'user', content: 'Hi' },
    ],
    [
      { role: 'model', text: 'Hi' },
      { role: 'assistant', content: 'Hi' },
    ],
    [
      { role: 'developer', content: 'Be kind' },
      { role: 'system', content: 'Be kind' },
    ],
    [
      { type: 'tool', content: 'ok', tool_call_id: 'c1', name: 'book' },
      { role: 'tool', content: 'ok', tool_call_id: 'c1', name: 'book' },
    ],
    [
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'assistant', content: 'No.' },
    ],
    [
      { content: ['Hi', { text: '!' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: '!' },
        ],
      },
    ],
    [{ content: { a: 1 } }, { role: 'assistant', content: '{"a":1}' }],
    ['Hi', { role: 'assistant', content: 'Hi' }],
    [
      { content: [{ type: 'tool_use', id: 'c1', name: 'book', input }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'book', input }], tool_calls: [call] },
    ],
    [
      { function_call: { name: 'book', arguments: '{}' } },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ ...call, id: 'call_1', function: { name: 'book', arguments: '{}' } }],
      },
    ],
  ])('is read from %j', (written, message) => {
    expect(readMessage(written)).toEqual(message);
  });

  it('is always one that the schema takes, whatever it was made from', () => {
    const field = fc.constantFrom(
      'role',
      'type',
      'content',
      'text',
      'tool_calls',
      'toolCalls',
      'id',
      'name',
      'tool_call_id',
      'refusal',
      'function',
      'arguments',
      'input',
    );
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.constantFrom('ai', 'tool', 'text', 'tool_use'),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(field, tie('any'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(any, (value) => {
        const message = readMessage(value);
        if (message) expect(messageSchema.safeParse(message).error).toBeUndefined();
      }),
      { seed: 6, numRuns: 3_000 },
    );
  });

  it('leaves out of a block what is nested without end', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
    expect(readMessage({ content: [{ type: 'image', deep, text: 'a cat' }] })).toEqual({
      role: 'assistant',
      content: [{ type: 'image', text: 'a cat' }],
    });
  });
});
