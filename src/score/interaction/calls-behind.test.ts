import { describe, expect, it } from 'vitest';
import type { Trace, TraceEvent } from '../../domain/trace.ts';
import { callsBehind } from './calls-behind.ts';

const shell = (callId: string, at: number, shellCommand: string): TraceEvent => ({
  type: 'tool-call',
  at,
  seenBy: 'agent',
  callId,
  tool: 'Bash',
  input: { command: shellCommand },
  shellCommand,
});
const result = (callId: string, at: number): TraceEvent => ({
  type: 'tool-result',
  at,
  seenBy: 'agent',
  callId,
  durationMs: 1,
});
const command = (line: string, endMs: number, durationMs = 5): TraceEvent => ({
  type: 'command',
  at: endMs,
  seenBy: 'recorder',
  argv: line.split(' '),
  cwd: '.',
  durationMs,
  exitCode: 0,
  signal: null,
  stdout: null,
  stderr: null,
  isNested: false,
});
const mcp = (
  seenBy: 'agent' | 'recorder',
  callId: string,
  at: number,
  input: unknown,
  server = 'todo',
): TraceEvent => ({
  type: 'tool-call',
  at,
  seenBy,
  callId,
  tool: 'add',
  server,
  input,
});

const pairs = (trace: Trace): [number, number][] => [...callsBehind(trace)];

describe('callsBehind', () => {
  it('finds the call whose line holds the command, also where the agent reports late', () => {
    expect(pairs([shell('a', 10, 'cd x && inv list'), command('inv list', 20), result('a', 30)])).toEqual([[1, 0]]);
    expect(pairs([command('inv list', 20), shell('a', 25, 'inv list'), result('a', 30)])).toEqual([[0, 1]]);
  });

  it('pairs equal commands in their order', () => {
    const trace = [
      shell('a', 0, 'inv list'),
      command('inv list', 10),
      result('a', 20),
      shell('b', 30, 'inv list'),
      command('inv list', 40),
      result('b', 50),
    ];
    expect(pairs(trace)).toEqual([
      [1, 0],
      [4, 3],
    ]);
  });

  it('names none of two calls at once that could both have made a command that the shell expands', () => {
    const open = [shell('a', 0, 'inv $X'), shell('b', 1, 'inv $Y')];
    expect(pairs([...open, command('inv list', 10), result('a', 20), result('b', 20)])).toEqual([]);
    expect(pairs([shell('a', 0, 'inv $X'), command('inv list', 10), result('a', 20)])).toEqual([[1, 0]]);
  });

  it('names none where more calls hold the command than it ran', () => {
    const open = [shell('a', 0, 'false && inv list'), shell('b', 1, 'inv list')];
    expect(pairs([...open, command('inv list', 10), result('a', 20), result('b', 20)])).toEqual([]);
  });

  it('leaves commands beside that no line explains, that are more than were written, or that came after the call', () => {
    expect(pairs([shell('a', 0, './all.sh'), command('inv list', 10), result('a', 20)])).toEqual([]);
    expect(pairs([shell('a', 0, 'inv list'), result('a', 5), command('inv list', 30)])).toEqual([]);
    const twice = [command('inv list', 10), command('inv list', 40)];
    expect(pairs([shell('a', 0, 'inv list'), ...twice, result('a', 15)])).toEqual([[1, 0]]);
  });

  it('joins MCP calls by server, tool and arguments', () => {
    const trace = [
      mcp('agent', 'a', 0, { title: 'x', done: true }),
      mcp('recorder', 'r1', 5, { done: true, title: 'x' }),
      mcp('recorder', 'r2', 6, { title: 'other' }),
      result('a', 9),
    ];
    expect(pairs(trace)).toEqual([[1, 0]]);
    expect(pairs([mcp('agent', 'a', 0, {}), mcp('recorder', 'r', 5, {}, 'files'), result('a', 9)])).toEqual([]);
  });
});
