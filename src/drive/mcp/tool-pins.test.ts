import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from './session.ts';
import { pinTools, toolChanges } from './tool-pins.ts';

const tool: ToolDefinition = {
  name: 'add',
  description: 'Adds',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
};

describe('pins of tools', () => {
  it('do not depend on the order of fields', () => {
    const { name, ...rest } = tool;
    expect(pinTools([{ ...rest, name }])).toEqual(pinTools([tool]));
  });

  it.each<[string, Record<string, unknown>]>([
    ['description', { description: 'Adds two numbers' }],
    ['inputSchema', { inputSchema: { type: 'object', properties: { a: { type: 'integer' } } } }],
    ['annotations', { annotations: { readOnlyHint: true } }],
    ['_meta', { _meta: { hidden: 'instructions' } }],
    ['description, title', { title: 'Sum', description: undefined }],
  ])('change with the %s', (fields, change) => {
    const changed = JSON.parse(JSON.stringify({ ...tool, ...change })) as ToolDefinition;
    expect(pinTools([changed])).not.toEqual(pinTools([tool]));
    expect(toolChanges([tool], [changed])).toEqual([
      { tool: 'add', isAdded: false, text: `"add" has another ${fields}` },
    ]);
  });

  it('hold a tool of any name', () => {
    expect(Object.keys(pinTools([{ ...tool, name: '__proto__' }]))).toEqual(['__proto__']);
  });

  it('show no change where there is none', () => {
    expect(toolChanges([tool], [{ ...tool }])).toEqual([]);
    expect(toolChanges([tool], [])).toEqual([{ tool: 'add', isAdded: false, text: '"add" was removed' }]);
    expect(toolChanges([], [tool])).toEqual([{ tool: 'add', isAdded: true, text: '"add" was added' }]);
  });
});
