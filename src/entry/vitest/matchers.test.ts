import { describe, expect, it } from 'vitest';
import { registerMatchers } from './matchers.ts';

registerMatchers();

const output = { toolCalls: [{ name: 'add' }, { name: 'log' }, { name: 'multiply' }], latency: 12.34 };
const workflow = { success: true, messages: [{ role: 'user', content: 'hello' }], toolCalls: [] };

/** The message of a failed expectation. */
async function messageOf(expectation: Promise<void>): Promise<string> {
  return expectation.then(
    () => Promise.reject(new Error('It holds.')),
    (error: Error) => error.message,
  );
}

describe('matchers', () => {
  it('hold', async () => {
    await expect(output).toCallTool('add');
    await expect(output).toCallTools(['multiply', 'add']);
    await expect(output).toHaveToolCallOrder(['add', 'multiply']);
    await expect(output).toHaveToolCallOrder([]);
    await expect(output).toHaveLatencyBelow(12.34);
    await expect(['add']).toCallTool('add');
    await expect({ tools: ['add', { name: 'log' }] }).toHaveToolCallOrder(['add', 'log']);
    await expect({ latency: 0 }).toHaveLatencyBelow(0);
    await expect({ responseTime: 5 }).toHaveLatencyBelow(5);
    await expect(workflow).toHaveSuccessfulWorkflow();
    await expect('Hello World').toContainKeywords(['hello', 'WORLD']);
    await expect({ content: [{ type: 'text', text: 'it is 42' }] }).toMatchPattern(/is \d+/);
    await expect(Promise.resolve(output)).toCallTool('add');
  });

  it('hold neither way where the output does not say', async () => {
    await messageOf(expect({}).toHaveLatencyBelow(1_000));
    await messageOf(expect({}).not.toHaveLatencyBelow(1_000));
    for (const silent of ['Done.', {}]) {
      await messageOf(expect(silent).not.toCallTool('divide'));
      await messageOf(expect(silent).not.toCallTools(['divide']));
      await messageOf(expect(silent).not.toHaveToolCallOrder(['divide']));
    }
  });

  it('hold the other way round with not', async () => {
    await expect(output).not.toCallTool('divide');
    await expect(output).not.toCallTools(['add', 'divide']);
    await expect(output).not.toHaveToolCallOrder(['multiply', 'add']);
    await expect(output).not.toHaveToolCallOrder(['add', 'add']);
    await expect(output).not.toHaveLatencyBelow(12);
    await expect({ ...workflow, messages: [] }).not.toHaveSuccessfulWorkflow();
    await expect({ ...workflow, success: 'yes' }).not.toHaveSuccessfulWorkflow();
    await expect('Hello').not.toContainKeywords(['hello', 'world']);
    await expect('Hello').not.toMatchPattern(/hello/);
  });

  it.each<[string, () => Promise<void>, string]>([
    [
      'toCallTool',
      () => expect(output).toCallTool('divide'),
      'expected the output to call the tool "divide"; called: [add, log, multiply]',
    ],
    [
      'not.toCallTool',
      () => expect(output).not.toCallTool('add'),
      'expected the output not to call the tool "add"; called: [add, log, multiply]',
    ],
    [
      'toCallTool with a call that was refused',
      () => expect({ toolCalls: [{ name: 'add', refused: true }] }).toCallTool('add'),
      'expected the output to call the tool "add"; called: [add (refused)]',
    ],
    [
      'not.toCallTool with a call that was refused',
      () => expect({ toolCalls: [{ name: 'add', refused: true }] }).not.toCallTool('add'),
      'expected the output not to call the tool "add"; called: [add (refused)]',
    ],
    [
      'toCallTool without calls',
      () => expect({ toolCalls: [] }).toCallTool('add'),
      'expected the output to call the tool "add"; no tool was called',
    ],
    [
      'toCallTool on something else',
      () => expect('8').toCallTool('add'),
      'expected the output to call the tool "add"; it does not say which tools were called (`toolCalls`)',
    ],
    [
      'toCallTools',
      () => expect(output).toCallTools(['add', 'divide']),
      'expected the output to call the tools [add, divide]; called: [add, log, multiply]; missing: [divide]',
    ],
    [
      'toHaveToolCallOrder',
      () => expect(output).toHaveToolCallOrder(['multiply', 'add']),
      'expected the output to call the tools [multiply, add] in this order; called: [add, log, multiply]',
    ],
    [
      'toHaveLatencyBelow',
      () => expect(output).toHaveLatencyBelow(0),
      'expected the output to have taken at most 0 ms; it took 12.3 ms',
    ],
    [
      'toHaveSuccessfulWorkflow',
      () => expect({ success: false, messages: [], error: 'no key' }).toHaveSuccessfulWorkflow(),
      'expected the output to be a workflow that succeeded, with `success: true` and messages; ' +
        'success is false, messages: 0; no key',
    ],
    [
      'toContainKeywords',
      () => expect('Hello').toContainKeywords(['hello', 'world']),
      'expected the output to contain [hello, world]; missing: [world]; it says "Hello"',
    ],
    [
      'toMatchPattern',
      () => expect('eight').toMatchPattern(/\d/),
      'expected the output to match /\\d/; it says "eight"',
    ],
  ])('%s says what it wanted and what it saw', async (_name, expectation, message) => {
    expect(await messageOf(expectation())).toBe(message);
  });

  it('gives the same answer each time for a pattern with the flag g', async () => {
    const pattern = /8/g;
    await expect('8').toMatchPattern(pattern);
    await expect('8').toMatchPattern(pattern);
  });
});
