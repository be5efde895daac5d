import { describe, expect, it } from 'vitest';
import { eventsIn, gapsOf, readImport, recordOf, reported } from '../../../testing/fakes/load/read-import.ts';

const messages = [
  { role: 'system', content: 'You book flights.' },
  { role: 'user', content: 'To Oslo, please.' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"to":"OSL"}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'SK 12' },
  { role: 'assistant', content: 'SK 12 is free.' },
];

const events = [
  { type: 'message', role: 'system', text: 'You book flights.' },
  { type: 'message', role: 'user', text: 'To Oslo, please.' },
  { type: 'tool-call', callId: 'c1', tool: 'find', input: { to: 'OSL' } },
  { type: 'tool-result', callId: 'c1', result: 'SK 12' },
  { type: 'message', role: 'assistant', text: 'SK 12 is free.' },
  expect.objectContaining({ type: 'turn', number: 1 }),
];

const lines = (...values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('chat messages', () => {
  it.each([
    ['one message to a line', lines(...messages)],
    ['one conversation to a line', lines({ messages })],
    ['a list of messages', JSON.stringify(messages)],
    ['a list that is laid out for people', JSON.stringify(messages, null, 2)],
    ['a document that is laid out for people', JSON.stringify({ messages }, null, 2)],
  ])('are read from %s', async (_name, text) => {
    const read = await readImport(text);
    expect(read).toMatchObject({ format: 'openai-chat', problems: [] });
    expect(read.trials).toHaveLength(1);
    expect(eventsIn(read.trials[0])).toEqual(events);
    expect(read.trials[0]?.verdict).toBeUndefined();
  });

  it('keep lists of messages apart, whether on lines or in a list of conversations', async () => {
    const onLines = await readImport(lines(messages, messages));
    const inList = await readImport(JSON.stringify([{ messages }, { messages, id: 'second' }], null, 2));
    expect(onLines.trials.map(({ caseId }) => caseId)).toEqual(['conversation', 'conversation-2']);
    expect(inList.trials.map(({ caseId }) => caseId)).toEqual(['conversation-1', 'second']);
  });

  it('yield task, trial, model, usage, cost, times and result', async () => {
    const { trials } = await readImport(
      lines({
        task_id: 17,
        trial: 2,
        model: 'm-1',
        agent: 'support',
        reward: 0.5,
        usage: { prompt_tokens: 30, completion_tokens: 4 },
        cost_usd: 0.25,
        messages: [
          { role: 'user', content: 'Hi', timestamp: '2026-01-01T00:00:00Z' },
          { role: 'assistant', content: 'Hello', timestamp: '2026-01-01T00:00:02Z' },
        ],
      }),
    );
    expect(trials[0]).toMatchObject({
      scenario: '17',
      caseId: 'task',
      repeat: 3,
      variant: { agent: 'support', model: 'm-1' },
      verdict: { state: 'fail', reason: 'reward 0.5', value: 0.5 },
      costUsd: 0.25,
      startedAt: Date.parse('2026-01-01T00:00:00Z'),
      durationMs: 2_000,
    });
    expect(eventsIn(trials[0])).toContainEqual({ type: 'usage', inputTokens: 30, outputTokens: 4 });
    expect(eventsIn(trials[0])).toContainEqual(expect.objectContaining({ type: 'turn', latencyMs: 2_000 }));
  });

  it('have no usage where only one of the token counts is reported', async () => {
    const answer = (usage: object) => ({ role: 'assistant', content: 'Hello', usage });
    const whole = { prompt_tokens: 7, completion_tokens: 2 };
    const { trials } = await readImport(
      lines({ role: 'user', content: 'Hi' }, answer(whole), answer({ prompt_tokens: 9 })),
    );
    expect(recordOf(trials[0]).usage).toBeNull();
    expect(gapsOf(trials[0])).toEqual(['tokens: only a part of the tokens of a request is known (file.jsonl:3)']);
    expect(eventsIn(trials[0])).toContainEqual({ type: 'usage', inputTokens: 7, outputTokens: 2 });
    expect(eventsIn(trials[0])).toContainEqual({ type: 'usage', inputTokens: 9 });
    const complete = await readImport(lines({ role: 'user', content: 'Hi' }, answer(whole)));
    expect(recordOf(complete.trials[0]).usage).toEqual({ inputTokens: 7, outputTokens: 2 });
  });

  it('may be written in the manner of Anthropic', async () => {
    const { trials } = await readImport(
      lines(
        { role: 'user', content: [{ type: 'text', text: 'List it' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'u1', name: 'bash', input: { command: 'ls' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'u1', content: 'no', is_error: true }] },
        { role: 'assistant', content: [{ type: 'text', text: 'It failed.' }] },
      ),
    );
    expect(eventsIn(trials[0])).toEqual([
      { type: 'message', role: 'user', text: 'List it' },
      { type: 'tool-call', callId: 'u1', tool: 'bash', input: { command: 'ls' }, shellCommand: 'ls' },
      { type: 'tool-result', callId: 'u1', error: { message: 'no' } },
      { type: 'message', role: 'assistant', text: 'It failed.' },
      expect.objectContaining({ type: 'turn' }),
    ]);
  });

  it('are imported as far as they can be read', async () => {
    const read = await readImport(`${lines(messages[1], { note: 'x' })}not json\n${lines(messages[4])}{"role": "us`);
    expect(reported(read)).toEqual([
      '2: neither a message nor a conversation',
      '3: not JSON',
      '5: the last line is incomplete: not JSON',
    ]);
    expect(eventsIn(read.trials[0])).toHaveLength(6);
    expect(gapsOf(read.trials[0]).map((gap) => gap.replace(/^.*: /, ''))).toEqual([
      'neither a message nor a conversation (file.jsonl:2)',
      'not JSON (file.jsonl:3)',
      'not JSON (file.jsonl:5)',
    ]);
  });

  it('of a document that breaks off are read up to there', async () => {
    const whole = JSON.stringify(messages, null, 2);
    const read = await readImport(whole.slice(0, whole.indexOf('SK 12 is')));
    expect(reported(read)).toEqual([expect.stringMatching(/^\d+: the file ends within/)]);
    expect(eventsIn(read.trials[0])).toHaveLength(6);
    expect(gapsOf(read.trials[0])).toEqual([expect.stringContaining('the file ends within the part')]);
  });
});
