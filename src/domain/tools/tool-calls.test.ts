import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../trace.ts';
import { observedCalls } from './tool-calls.ts';

type SeenBy = TraceEvent['seenBy'];

const at = 0;
const call = (seenBy: SeenBy, callId: string, tool: string, input: unknown = {}, server?: string): TraceEvent => ({
  type: 'tool-call',
  at,
  seenBy,
  callId,
  tool,
  input,
  ...(server === undefined ? {} : { server }),
});
const answer = (seenBy: SeenBy, callId: string, more: object): TraceEvent => ({
  type: 'tool-result',
  at,
  seenBy,
  callId,
  durationMs: 5,
  ...more,
});
const turn = (number: number, messages: Extract<TraceEvent, { type: 'turn' }>['messages'] = []): TraceEvent => ({
  type: 'turn',
  at,
  seenBy: 'recorder',
  number,
  messages,
  latencyMs: 1,
});
const server = (label: string, seenBy: SeenBy): TraceEvent => {
  const facts = { name: label, version: '1', protocolVersion: '1', transport: 'stdio', tools: [] } as const;
  return { type: 'mcp-server', at, seenBy, label, ...facts, tools: [] };
};
const names = (trace: readonly TraceEvent[]) =>
  observedCalls(trace).map(({ tool, server: of, seenBy }) => `${seenBy}: ${of ? `${of}/` : ''}${tool}`);

describe('the calls of a trial', () => {
  it('are listed with their answers, whatever order these come in', () => {
    const calls = observedCalls([
      call('engine', '1', 'add', { a: 1 }),
      call('engine', '2', 'div'),
      answer('engine', '2', { error: { message: 'by zero' } }),
      answer('engine', '1', { result: 3 }),
      call('engine', '3', 'never'),
    ]);
    expect(calls).toMatchObject([
      { number: 1, tool: 'add', input: { a: 1 }, isAnswered: true, result: 3, durationMs: 5, eventIndex: 0 },
      { number: 2, tool: 'div', isAnswered: true, error: { message: 'by zero' }, eventIndex: 1 },
      { number: 3, tool: 'never', isAnswered: false },
    ]);
    expect(calls.map(({ error }) => error !== undefined)).toEqual([false, true, false]);
    expect(calls[2]?.durationMs).toBeUndefined();
  });

  it('keep answers apart whose ids are used again', () => {
    const calls = observedCalls([
      call('agent', 'c', 'first'),
      answer('agent', 'c', { result: 1 }),
      call('agent', 'c', 'second'),
      answer('agent', 'c', { result: 2 }),
    ]);
    expect(calls.map(({ result }) => result)).toEqual([1, 2]);
  });

  it('have the answer of the engine where it ran the tool of a bare model, not one of the history', () => {
    const history = [call('engine', 'c', 'old'), answer('engine', 'c', { result: 'old' })];
    const [own] = observedCalls([
      ...history,
      call('agent', 'c', 'add'),
      answer('engine', 'c', { error: { message: 'out of paper' } }),
      turn(1),
    ]);
    expect(own).toMatchObject({ tool: 'add', isAnswered: true, error: { message: 'out of paper' } });
    expect(observedCalls([...history, call('agent', 'c', 'add'), turn(1)])).toMatchObject([{ isAnswered: false }]);
  });

  it('take an MCP result that says so for an error', () => {
    const result = { isError: true, content: [{ type: 'text', text: 'no such city' }, { type: 'image' }] };
    const [failed, silent] = observedCalls([
      call('engine', '1', 'weather'),
      answer('engine', '1', { result }),
      call('engine', '2', 'weather'),
      answer('engine', '2', { result: { isError: true } }),
    ]);
    expect(failed?.error?.message).toBe('no such city');
    expect(silent?.error?.message).toBe('the tool failed');
  });

  it('have the bare name of the tool, with its server beside it', () => {
    expect(names([call('agent', '1', 'mcp__my_maps__find__all'), call('agent', '2', 'Bash')])).toEqual([
      'agent: my_maps/find__all',
      'agent: Bash',
    ]);
  });

  it('count once what the recorder saw and the agent reported', () => {
    const trace = [
      server('maps', 'recorder'),
      call('agent', 'a', 'mcp__maps__find', { q: 1 }),
      call('recorder', '1', 'find', { q: 1 }, 'maps'),
      call('agent', 'b', 'maps_find', { q: 2 }),
      call('agent', 'c', 'mcp_maps_find', { q: 2 }),
      call('agent', 'd', 'maps-find', { q: 2 }),
      call('recorder', '2', 'find', { q: 2 }, 'maps'),
      call('agent', 'e', 'Bash', { command: 'ls' }),
    ];
    expect(names(trace)).toEqual(['recorder: maps/find', 'recorder: maps/find', 'agent: Bash']);
  });

  it('do not hold a report of what never reached the recorded server', () => {
    expect(names([server('maps', 'recorder'), call('agent', 'a', 'mcp__maps__find')])).toEqual([]);
  });

  it('leave out the tools that stand for those of a server, which the recorder saw', () => {
    const calls = [
      call('agent', 'a', 'call_tool', { name: 'find', arguments: { q: 1 } }),
      call('recorder', '1', 'find', { q: 1 }, 'maps'),
      call('agent', 'b', 'find_tools', { query: 'x' }),
    ];
    const offered = { ...server('maps', 'recorder'), surface: 'search' } as TraceEvent;
    expect(names([offered, ...calls])).toEqual(['recorder: maps/find']);
    expect(names([server('maps', 'recorder'), ...calls])).toHaveLength(3);
  });

  it('count an agent’s bare reports once for each call that the recorder saw', () => {
    const trace = [
      call('recorder', '1', 'read_file', { path: 'a', n: 1 }),
      call('agent', 'a', 'read_file', { n: 1, path: 'a' }),
      call('agent', 'b', 'read_file', { n: 1, path: 'a' }),
      call('agent', 'c', 'read_file', { path: 'other' }),
    ];
    expect(names(trace)).toEqual(['recorder: read_file', 'agent: read_file', 'agent: read_file']);
  });
});

describe('the calls of a conversation', () => {
  const requested = [
    {
      role: 'assistant' as const,
      content: null,
      tool_calls: [{ id: 'c', type: 'function' as const, function: { name: 'book', arguments: '{"day":"friday"}' } }],
    },
    { role: 'tool' as const, content: 'BK-1', tool_call_id: 'c' },
  ];

  it('belong to the answer in which they were made, and are not counted again from its messages', () => {
    const trace = [
      call('agent', 'c', 'find'),
      turn(1),
      call('agent', 'c', 'book'),
      answer('agent', 'c', {}),
      turn(2, requested),
    ];
    expect(observedCalls(trace).map(({ tool, turn: of }) => `${tool} in ${of}`)).toEqual(['find in 1', 'book in 2']);
  });

  it('are taken from the messages where nothing else reports them', () => {
    expect(observedCalls([turn(1, requested)])).toMatchObject([
      { tool: 'book', input: { day: 'friday' }, result: 'BK-1', turn: 1, seenBy: 'agent', isAnswered: true },
    ]);
  });

  it('are not those of the history that it began with', () => {
    expect(names([call('engine', 'h', 'old'), call('agent', 'c', 'new'), turn(1)])).toEqual(['agent: new']);
  });

  it('are those that we made for a model that has the tools of an MCP server', () => {
    expect(names([server('calc', 'engine'), call('engine', '1', 'add'), turn(1, requested)])).toEqual(['engine: add']);
  });
});
