import type { Message } from '../../../../domain/message.ts';
import { describeEvaluatorContract } from '../../../../testing/evaluator-contract.ts';
import { noFailedCalls } from './no-failed-calls.ts';
import { noRepeatedCalls } from './no-repeated-calls.ts';
import { toolArguments } from './tool-arguments.ts';
import { toolCalled } from './tool-called.ts';
import { toolNotCalled } from './tool-not-called.ts';
import { toolOrder } from './tool-order.ts';
import { toolResult } from './tool-result.ts';

const calling = (...names: readonly string[]): Message[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: names.map((name, index) => ({
      id: `c${index}`,
      type: 'function',
      function: { name, arguments: '{"day":"friday"}' },
    })),
  },
  ...names.map((name, index): Message => ({ role: 'tool', content: `${name}ed`, tool_call_id: `c${index}` })),
  { role: 'assistant', content: 'Done' },
];

describeEvaluatorContract(toolCalled, {
  samples: [
    { name: 'a call', config: { tool: 'book', args: { day: 'friday' } }, answer: calling('book'), gives: 'pass' },
    { name: 'other arguments', config: { tool: 'book', args: { day: 1 } }, answer: calling('book'), gives: 'fail' },
    { name: 'no call', config: { tool: 'book' }, answer: 'Done', gives: 'fail' },
    { name: 'no answer', config: { tool: 'book' }, answer: undefined, gives: 'fail' },
  ],
  badConfigs: [{}, { tool: 'book', args: { day: { matches: '[' } } }],
});

describeEvaluatorContract(toolNotCalled, {
  samples: [
    { name: 'a call', config: { tool: 'b*' }, answer: calling('book'), gives: 'fail' },
    { name: 'another call', config: { tool: 'pay' }, answer: calling('book'), gives: 'pass' },
  ],
  badConfigs: [{}, { tool: 'a', when: 'never' }],
});

describeEvaluatorContract(toolOrder, {
  samples: [
    { name: 'in order', config: { tools: ['a', 'c'] }, answer: calling('a', 'b', 'c'), gives: 'pass' },
    { name: 'another order', config: { tools: ['c', 'a'] }, answer: calling('a', 'b', 'c'), gives: 'fail' },
  ],
  badConfigs: [{ tools: [] }, { tools: ['a'], order: 'random' }],
});

describeEvaluatorContract(toolArguments, {
  samples: [
    { name: 'right', config: { schema: { required: ['day'] } }, answer: calling('a'), gives: 'pass' },
    { name: 'wrong', config: { schema: { required: ['hour'] } }, answer: calling('a'), gives: 'fail' },
  ],
  badConfigs: [{}, { schema: { type: 'no type' } }, { criteria: ['input.('] }],
});

describeEvaluatorContract(toolResult, {
  samples: [
    { name: 'right', config: { tool: 'book', equals: 'booked' }, answer: calling('book'), gives: 'pass' },
    { name: 'wrong', config: { tool: 'book', contains: 'paid' }, answer: calling('book'), gives: 'fail' },
  ],
  badConfigs: [{ tool: 'a' }, { tool: 'a', of: 'none', equals: 1 }],
});

describeEvaluatorContract(noFailedCalls, {
  samples: [{ name: 'good calls', answer: calling('a', 'b'), gives: 'pass' }],
  badConfigs: [{ allow: -1 }, { tools: [] }],
});

describeEvaluatorContract(noRepeatedCalls, {
  samples: [
    { name: 'different calls', answer: calling('a', 'b'), gives: 'pass' },
    { name: 'the same call', answer: calling('a', 'b', 'a'), gives: 'fail' },
    { name: 'not one after the other', config: { consecutive: true }, answer: calling('a', 'b', 'a'), gives: 'pass' },
  ],
  badConfigs: [{ consecutive: 'yes' }],
});
