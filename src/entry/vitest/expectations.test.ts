import { describe, expect, it } from 'vitest';
import { expectError, expectLatency, expectToolCall, expectToolCalls, expectWorkflowSuccess } from './expectations.ts';

const output = { toolCalls: [{ name: 'add' }, { name: 'multiply' }], latency: 5 };

describe('expectations', () => {
  it('hold', async () => {
    await expectToolCall(output, 'add');
    await expectToolCalls(Promise.resolve(output), ['multiply', 'add']);
    await expectWorkflowSuccess({ success: true, messages: ['hello'] });
    await expectLatency(output, 5);
  });

  it('fail with what they wanted and what they saw', async () => {
    await expect(expectToolCall(output, 'divide')).rejects.toThrow(
      'to call the tool "divide"; called: [add, multiply]',
    );
    await expect(expectToolCalls(output, ['divide'])).rejects.toThrow('to call the tools [divide]');
    await expect(expectWorkflowSuccess({})).rejects.toThrow('success is undefined, messages: 0');
    await expect(expectLatency(output, 4)).rejects.toThrow('at most 4 ms; it took 5.0 ms');
  });

  it.each([
    ['an error', new Error('Division by zero')],
    ['a promise that rejects', () => Promise.reject(new Error('Division by zero'))],
    ['an answer that is an error', { isError: true, content: [{ type: 'text', text: 'division by zero!' }] }],
    ['an error as text', { error: 'division by zero' }],
    ['an error with a message', { error: { code: 3, message: 'division by zero' } }],
    ['no success', { success: false, result: 'division by zero' }],
  ])('expectError takes %s', async (_name, given) => {
    const failed = () => (typeof given === 'function' ? given() : given);
    await expectError(failed());
    await expectError(failed(), 'division BY zero');
    await expect(expectError(failed(), 'overflow')).rejects.toThrow('to be an error that says "overflow"; it says');
  });

  it.each([
    ['a good answer', { content: [{ type: 'text', text: '8' }], isError: false }],
    ['success', { success: true, error: null }],
    ['a text', 'error'],
    ['nothing', undefined],
  ])('expectError does not take %s', async (_name, given) => {
    await expect(expectError(given)).rejects.toThrow('expected the output to be an error; it is none');
  });
});
