import { describe, expect, it } from 'vitest';
import { interactionOf } from '../../../score/interaction/interaction.ts';
import { eventsIn, readImport, reported } from '../../../testing/fakes/load/read-import.ts';

describe('sessions that Claude Code keeps', () => {
  const base = { sessionId: 's1', version: '2.1.0', isSidechain: false };
  const lines = [
    { type: 'summary', summary: 'Listing', leafUuid: 'x' },
    {
      ...base,
      parentUuid: null,
      type: 'user',
      timestamp: '2026-01-01T00:00:00Z',
      message: { role: 'user', content: 'List' },
    },
    {
      ...base,
      parentUuid: 'a',
      type: 'assistant',
      timestamp: '2026-01-01T00:00:01Z',
      message: {
        id: 'm1',
        role: 'assistant',
        model: 'claude-x',
        content: [{ type: 'tool_use', id: 'u1', name: 'Bash', input: { command: 'ls' } }],
        usage: { input_tokens: 10, output_tokens: 2 },
      },
    },
    {
      ...base,
      parentUuid: 'b',
      type: 'user',
      timestamp: '2026-01-01T00:00:03Z',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'u1', content: 'a.txt' }] },
      toolUseResult: { stdout: 'a.txt', interrupted: false },
    },
    {
      ...base,
      parentUuid: 'c',
      type: 'assistant',
      timestamp: '2026-01-01T00:00:04Z',
      message: { id: 'm2', role: 'assistant', model: 'claude-x', content: [{ type: 'text', text: 'One file.' }] },
    },
  ];
  const textOf = (some: readonly object[]): string => some.map((line) => `${JSON.stringify(line)}\n`).join('');

  it('become a trial with calls, times and tokens', async () => {
    const { format, trials, problems } = await readImport(textOf(lines));
    expect({ format, problems }).toEqual({ format: 'claude-session', problems: [] });
    expect(trials[0]).toMatchObject({ variant: { agent: 'claude-code', model: 'claude-x' }, durationMs: 4_000 });
    expect(trials[0]?.fault).toBeUndefined();
    expect(eventsIn(trials[0])).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'tool-call', shellCommand: 'ls' }),
        expect.objectContaining({ type: 'tool-result', exitCode: 0, durationMs: 2_000 }),
        expect.objectContaining({ type: 'usage', inputTokens: 10, outputTokens: 2 }),
        expect.objectContaining({ type: 'agent-ended', completed: true }),
      ]),
    );
  });

  it('that break off have not completed', async () => {
    const { trials } = await readImport(textOf(lines.slice(0, 3)));
    expect(trials[0]?.trace.at(-1)).toMatchObject({ type: 'agent-ended', completed: false });
  });
});

describe('plain transcripts', () => {
  const text = `User: use taskmgr list and report
Assistant: I will look.
Tool: bash
taskmgr list
no such table
Exit code: 1
Tool: bash
taskmgr init
Assistant: Done.
`;

  it('keep who spoke, and commands are found in what the agent printed', async () => {
    const { format, trials, problems } = await readImport(text, { name: 'talk.txt' });
    expect({ format, problems }).toEqual({ format: 'text', problems: [] });
    const [trial] = trials;
    expect(eventsIn(trial).map((event) => ('role' in event ? event.role : 'printed'))).toEqual([
      'user',
      'assistant',
      'printed',
      'printed',
      'assistant',
    ]);
    const { source, total_commands, error_count } = interactionOf(trial?.trace ?? [], { binary: 'taskmgr' });
    expect({ source, total_commands, error_count }).toEqual({
      source: 'transcript',
      total_commands: 2,
      error_count: 1,
    });
  });

  it('that are not all UTF-8 are read, and that is reported', async () => {
    const read = await readImport(Buffer.concat([Buffer.from('hello\nwor'), Buffer.from([0xff]), Buffer.from('ld\n')]));
    expect(read.trials).toHaveLength(1);
    expect(reported(read)).toEqual(['warning 2: invalid UTF-8: the invalid bytes were replaced']);
  });
});
