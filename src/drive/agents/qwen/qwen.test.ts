import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceEventSchema } from '../../../domain/trace-schema.ts';
import { damaged, fixtureLines, only, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import { openQwenStream } from './qwen.ts';

const lines = (name: string): string[] => fixtureLines(new URL(`./fixtures/${name}.jsonl`, import.meta.url));

const command = 'echo hello-from-tool && pwd && ls -a';

describe('the stream of Qwen Code', () => {
  it('emits messages, the command, its result and the usage', () => {
    const { events, report } = playLines(openQwenStream, lines('ok'));
    const callId = 'call_3qmwh3y4qs';
    expect(only(events, 'message', 'tool-call', 'tool-result', 'usage')).toEqual([
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'I will run the command.' },
      {
        type: 'tool-call',
        seenBy: 'agent',
        callId,
        tool: 'run_shell_command',
        kind: 'shell',
        input: { command },
        shellCommand: command,
      },
      {
        type: 'tool-result',
        seenBy: 'agent',
        callId,
        durationMs: 0,
        result: 'hello-from-tool\n/ws\n.\n..\na.txt',
        exitCode: null,
      },
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'DONE: the tool printed hello-from-tool.' },
      { type: 'usage', seenBy: 'agent', inputTokens: 3000, cachedInputTokens: 600, outputTokens: 84 },
    ]);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined, turns: 2 });
  });

  it('counts the same from the messages when the end is missing', () => {
    const { events } = playLines(openQwenStream, lines('ok').slice(0, -1), { timedOut: true });
    expect(only(events, 'usage')).toEqual([expect.objectContaining({ inputTokens: 3000, outputTokens: 84 })]);
  });

  it('blames the model for a refused key', () => {
    const { events, report } = playLines(openQwenStream, lines('error401'), { exitCode: 1 });
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
    expect(only(events, 'message', 'usage')).toEqual([]);
    expect(only(events, 'notice')).toEqual([expect.objectContaining({ message: '[API Error: 401 scripted 401]' })]);
  });

  it('attributes to the model a refused key that an older version reports as a success', () => {
    const { report } = playLines(openQwenStream, lines('error401-reported-as-success'), { exitCode: 0 });
    expect(report).toMatchObject({ completed: false, reason: '[API Error: 401 scripted 401]' });
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
  });

  it('reads an exit code in the output', () => {
    const call = { type: 'tool_use', id: 'c', name: 'run_shell_command', input: { command: 'false' } };
    const result = { type: 'tool_result', tool_use_id: 'c', content: 'Output: (empty)\nExit Code: 1\nSignal: (none)' };
    const { events } = playLines(openQwenStream, [
      JSON.stringify({ type: 'assistant', message: { content: [call] } }),
      JSON.stringify({ type: 'user', message: { content: [result] } }),
    ]);
    expect(only(events, 'tool-result')).toEqual([expect.objectContaining({ exitCode: 1 })]);
  });

  it('takes any damage', () => {
    fc.assert(
      fc.property(damaged(lines('ok').concat(lines('error401'))), (broken) => {
        for (const event of playLines(openQwenStream, broken).events) {
          expect(traceEventSchema.safeParse({ at: 0, ...event }).error).toBeUndefined();
        }
      }),
      { seed: 4, numRuns: repetitions({ usual: 200, inFull: 2_000 }) },
    );
  });
});
