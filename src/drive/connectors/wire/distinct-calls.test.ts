import { expect, it } from 'vitest';
import type { Message } from '../../../domain/message.ts';
import { distinctCalls } from './distinct-calls.ts';
import { toolCall } from './messages.ts';

const answer = (...calls: readonly (readonly [id: string, name: string, args?: object])[]): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.map(([id, name, args]) => toolCall(id, name, args)),
});
const callsOf = ({ messages }: ReturnType<typeof distinctCalls>): string[] =>
  messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => `${call.id} ${call.function.name}`));

it('a call that several messages of an answer repeat is one call', () => {
  const repeated = distinctCalls([answer(['a', 'look']), answer(['a', 'look'], ['b', 'look'])]);
  expect([callsOf(repeated), repeated.gaps]).toEqual([['a look', 'b look'], []]);
});

it('two calls with one id are both calls, and their results are in doubt', () => {
  for (const messages of [
    [answer(['a', 'look'], ['a', 'delete_all'])],
    [answer(['a', 'look']), answer(['a', 'delete_all'])],
  ]) {
    const distinct = distinctCalls(messages);
    expect(callsOf(distinct)).toEqual(['a look', 'a-2 delete_all']);
    expect(distinct.gaps).toMatchObject([{ channels: ['tool-results'], reason: expect.stringContaining('the id a') }]);
  }
  expect(callsOf(distinctCalls([answer(['a', 'look', { x: 1 }], ['a', 'look', { x: 2 }])]))).toEqual([
    'a look',
    'a-2 look',
  ]);
});

it('an id of an earlier answer is given to no other call, and results keep to their calls', () => {
  const result: Message = { role: 'tool', tool_call_id: 'a', content: 'ok' };
  const distinct = distinctCalls([answer(['a', 'look']), result], ['a', 'a-2']);
  expect(distinct.messages).toMatchObject([{ tool_calls: [{ id: 'a-3' }] }, { tool_call_id: 'a-3' }]);
  expect(distinct.gaps).toEqual([]);
});
