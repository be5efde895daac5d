import { describe, expect, it } from 'vitest';
import { ProblemsError } from '../../domain/problem.ts';
import type { TapeLine } from '../../domain/tape.ts';
import { digestOf, headText, takeText, tapeName } from '../../drive/tape/tape-text.ts';
import { readTape } from './read-tapes.ts';

const add = { name: 'add', inputSchema: { type: 'object' } };
const lines: TapeLine[] = [
  { kind: 'server', server: 's', name: 'tasks', version: '1', protocolVersion: '2025-11-25', schemas: digestOf([add]) },
  { kind: 'tool', server: 's', definition: add },
  { kind: 'call', server: 's', tool: 'add', args: { title: 'ü\u0000\n' }, result: { content: [], n: 1e21 } },
  { kind: 'call', server: 's', tool: 'add', args: { count: 2 }, error: { code: -1, message: 'no' } },
];
const own = { variant: {}, repeat: 1, subject: { 'server.command': 'node' } };
const text = headText('Tasks', 'one') + takeText({ ...own, lines });

function problemsIn(tape: string): string[] {
  try {
    readTape('rec/a.jsonl', tape);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    return error.message.split('\n').filter((line) => !line.startsWith(' '));
  }
}

describe('a recording of tool calls', () => {
  it('is read as it was written, with the place of each line', () => {
    const placed = lines.map((line, index) => ({ ...line, place: `rec/a.jsonl:${index + 3}:1` }));
    const takes = [{ place: 'rec/a.jsonl:2:1', ...own, lines: placed }];
    expect(readTape('rec/a.jsonl', text)).toEqual({ scenario: 'Tasks', case: 'one', takes });
  });

  it('has a file name without characters that a file system refuses', () => {
    expect(tapeName('../A b: c', 'x/y')).toMatch(/^A-b-c--x-y-[0-9a-f]{8}\.jsonl$/);
    expect(tapeName('A', 'b')).not.toBe(tapeName('a', 'b'));
  });

  it.each([
    [
      'an edited answer',
      text.replace('1e+21', '2'),
      /^rec\/a\.jsonl:5:\d+: this line was changed after it was recorded$/,
    ],
    [
      'an unknown key',
      text.replace('"tool":"add",', '"tool":"add","exit":3,'),
      /^rec\/a\.jsonl:5:\d+: unknown key `exit`$/,
    ],
    ['another type', text.replace('"tool":"add"', '"tool":5'), /^rec\/a\.jsonl:5:\d+: .*tool/],
    ['a removed line', text.replace(/\{"kind":"call".*\n/, ''), /^rec\/a\.jsonl:2:\d+: lines of this take were added/],
    ['a broken line', text.replace('"Tasks",', '"Tasks"'), /^rec\/a\.jsonl:1:\d+: a `,` is missing before this$/],
    [
      'another version',
      text.replace('"version":1,', '"version":2,'),
      /^rec\/a\.jsonl:1:\d+: .*only version 1 can be read/,
    ],
    ['another file', '{"a":1}', /^rec\/a\.jsonl:1:1: /],
    ['nothing', '', /^rec\/a\.jsonl:1:1: this is not a recording of tool calls$/],
  ])('with %s is refused at its place', (_what, edited, expected) => {
    expect(problemsIn(edited)).toEqual([expect.stringMatching(expected)]);
  });

  it('whose tools have another schema is refused', () => {
    const [server, ...others] = lines as [TapeLine, ...TapeLine[]];
    const withTape = (...all: TapeLine[]) => headText('Tasks', 'one') + takeText({ ...own, lines: all });
    expect(problemsIn(withTape({ ...server, schemas: '0'.repeat(16) } as TapeLine, ...others))).toEqual([
      expect.stringMatching(/^rec\/a\.jsonl:3:\d+: its tools have another schema$/),
    ]);
  });
});
