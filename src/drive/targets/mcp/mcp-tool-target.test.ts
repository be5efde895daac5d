import { describe, expect, it } from 'vitest';
import { runToolCall } from '../../../testing/support/suite-run.ts';

const equal = (value: unknown) => [
  { type: 'criteria', config: { passCriteria: [`result == ${JSON.stringify(value)}`], failCriteria: [] } },
];

describe('a tool of an MCP server that is called directly', () => {
  it('answers with what its result means', async () => {
    const { record, trace } = await runToolCall('add', { a: 2, b: 3 }, equal(5));
    expect(record).toMatchObject({ outcome: 'pass', toolPins: { add: expect.any(String) } });
    expect(trace.map(({ type }) => type)).toEqual(['mcp-server', 'tool-call', 'tool-result']);
    expect(trace[2]).toMatchObject({ result: 5 });
  });

  it.each([
    ['fail', 'It broke: no such file', { isError: true }],
    ['refuse', 'Invalid arguments for tool refuse', { code: -32_602 }],
  ])('answers with an error: %s', async (tool, message, more) => {
    const { record, trace } = await runToolCall(tool, {}, equal(5));
    expect(record).toMatchObject({ outcome: 'fail', fault: null });
    expect(trace.at(-1)).toMatchObject({ type: 'tool-result', error: { message, ...more } });
  });

  it.each([
    ['one that the server does not have', 'ad', {}, 'TARGET_NOT_LOADED', 'has no tool "ad"'],
    ['arguments without names', 'add', [1, 2], 'FILE_INVALID', 'takes named arguments'],
    ['a server that dies', 'crash', {}, 'MCP_SERVER_DIED', 'suite-server.mjs'],
    ['a tool that changes', 'change', { tool: 'change' }, 'MCP_TOOLS_CHANGED', '"change" has another description'],
  ])('cannot be judged: %s', async (_about, tool, input, code, message) => {
    const { record } = await runToolCall(tool, input, equal(5));
    expect(record).toMatchObject({ outcome: 'error', fault: { code, message: expect.stringContaining(message) } });
  });
});
