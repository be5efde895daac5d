import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceEvent, TraceEventOf } from '../trace.ts';
import { unknownTool } from './known-tools.ts';
import { observedCalls } from './tool-calls.ts';
import { isNamed } from './tool-names.ts';
import { unseenCalls } from './unseen-calls.ts';

const of = (tool: string, server?: string) => ({ tool, server });

describe('names of tools', () => {
  it.each([
    [of('find'), 'find', true],
    [of('find'), 'fin', false],
    [of('find_all'), 'find_*', true],
    [of('find'), 'find*', true],
    [of('find'), 'f?nd', true],
    [of('find'), '*', true],
    [of(''), '?', false],
    [of('a.b'), 'a?b', true],
    [of('a+b'), 'a+b', true],
    [of('find', 'maps'), 'maps/find', true],
    [of('find', 'maps'), 'mcp__maps__find', true],
    [of('find', 'maps'), 'maps/*', true],
    [of('find', 'maps'), 'other/*', false],
    [of('find'), 'maps/find', false],
    [of('maps_find'), 'maps/find', true],
    [of('maps.find'), 'mcp__maps__find', true],
    [of('mcp_maps_find'), 'maps/*', true],
    [of('maps_find', 'other'), 'maps/find', false],
    [of('maps_found'), 'maps/find', false],
  ])('%j is %s: %s', (call, name, expected) => {
    expect(isNamed(call, name)).toBe(expected);
  });

  it('match as the same words in a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 6 });
    fc.assert(
      fc.property(text, pattern, (tool, name) => {
        const regex = new RegExp(`^${name.replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(isNamed(of(tool), name)).toBe(regex.test(tool));
      }),
      { seed: 42, numRuns: 2_000 },
    );
  });
});

describe('tools of servers', () => {
  const stamp = { at: 0, seenBy: 'engine' } as const;
  const facts = { version: '1', protocolVersion: '1', transport: 'stdio' } as const;
  const serverOf = (label: string): TraceEvent => ({
    type: 'mcp-server',
    ...stamp,
    ...facts,
    label,
    name: 'calc',
    tools: [{ name: 'add', sha256: '' }],
  });
  const call: TraceEvent = { type: 'tool-call', ...stamp, callId: '1', tool: 'add', server: 'server', input: {} };

  it.each([
    ['a model drove it', 'node calc.mjs'],
    ['an agent drove it', 'server'],
  ])('are meant by the name of the server in the file and by its own, when %s', (_about, label) => {
    const [observed] = observedCalls([serverOf(label), call]);
    for (const name of ['add', 'server/add', 'calc/add', 'mcp__calc__add', 'calc/*'])
      expect([name, observed && isNamed(observed, name)]).toEqual([name, true]);
    expect(observed && isNamed(observed, 'other/add')).toBe(false);
  });

  it.each([
    ['ad', 'Did you mean `add`?'],
    ['cacl/add', 'Known: `add`.'],
  ])('must be known: %s', (name, hint) => {
    expect(unknownTool([serverOf('node calc.mjs'), call], name)).toMatchObject({ code: 'CRITERION_UNUSABLE', hint });
  });

  it('need not be known where an agent has its own tools, unless a server is named', () => {
    const trace: TraceEvent[] = [serverOf('server'), { ...call, seenBy: 'agent', tool: 'Bash' }];
    expect(unknownTool(trace, 'Write')).toBeUndefined();
    expect(unknownTool(trace, 'calc/sub')?.message).toBe('No tool is called `calc/sub`.');
    expect(unknownTool([call], 'anything')).toBeUndefined();
  });

  it.each(['book-table', 'Book_Table', 'booktable', 'book.table'])(
    'are not known where only case and separators differ from a tool that was called: %s',
    (name) => {
      const booked: TraceEvent = { ...call, seenBy: 'agent', tool: 'book_table' };
      expect(unknownTool([booked], name)).toMatchObject({ code: 'CRITERION_UNUSABLE', hint: 'Write `book_table`.' });
      expect(unknownTool([booked], 'book_table')).toBeUndefined();
      expect(unknownTool([booked, { ...booked, callId: '2', tool: name }], name)).toBeUndefined();
      expect(unknownTool([booked], 'book*')).toBeUndefined();
    },
  );

  it('are those that a conversation offered', () => {
    const offered: TraceEvent = { ...(serverOf('calc') as TraceEventOf<'mcp-server'>), offeredTo: 'agent' };
    expect(unknownTool([offered], 'Add')?.hint).toBe('Write `add`.');
    expect(unknownTool([offered], 'calc/sub')?.message).toBe('No tool is called `calc/sub`.');
    // A module may offer it beside the server.
    expect(unknownTool([offered], 'sub')).toBeUndefined();
    expect(unknownTool([{ ...offered, offeredTo: 'user' }], 'Add')).toBeUndefined();
  });

  it('are not called for certain where the server of a call is unknown', () => {
    const { server: _server, ...reported } = { ...call, server: undefined, seenBy: 'agent' as const };
    for (const name of ['calc/add', 'mcp__calc__add', 'calc/*'])
      expect(unseenCalls([reported], [name])?.message).toContain('The MCP server of call 1, `add` is unknown');
    for (const name of ['add', 'calc/sub']) expect(unseenCalls([reported], [name])).toBeUndefined();
    expect(unseenCalls([{ ...reported, tool: 'mcp__other__add' }], ['calc/add'])).toBeUndefined();
  });
});
