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

it('two calls with one id are both listed, and in doubt', () => {
  for (const messages of [
    [answer(['a', 'look'], ['a', 'delete_all'])],
    [answer(['a', 'look']), answer(['a', 'delete_all'])],
  ]) {
    const distinct = distinctCalls(messages);
    expect(callsOf(distinct)).toEqual(['a look', 'a-2 delete_all']);
    expect(distinct.gaps).toMatchObject([{ channels: ['tool-calls'], reason: expect.stringContaining('the id a') }]);
  }
  expect(callsOf(distinctCalls([answer(['a', 'look', { x: 1 }], ['a', 'look', { x: 2 }])]))).toEqual([
    'a look',
    'a-2 look',
  ]);
});

it('an id of an earlier answer is given to no other call, and results keep to their calls', () => {
  const result: Message = { role: 'tool', tool_call_id: 'a', content: 'ok' };
  const distinct = distinctCalls([answer(['a', 'look']), result], { taken: ['a', 'a-2'] });
  expect(distinct.messages).toMatchObject([{ tool_calls: [{ id: 'a-3' }] }, { tool_call_id: 'a-3' }]);
  expect(distinct.gaps).toEqual([]);
});

it('a result shows a call that was lost, unless an earlier answer has the call', () => {
  const result = (id?: string): Message => ({ role: 'tool', content: 'ok', ...(id && { tool_call_id: id }) });
  const lost = [{ channels: ['tool-calls'], reason: expect.stringContaining('no call has the id') }];
  expect(distinctCalls([answer(['a', 'look']), result('b')]).gaps).toEqual(lost);
  expect(distinctCalls([result()]).gaps).toEqual(lost);
  expect(distinctCalls([answer(['a', 'look']), result('a'), result()]).gaps).toEqual([]);
  expect(distinctCalls([result('b')], { open: ['b'] }).gaps).toEqual([]);
});
