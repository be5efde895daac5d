import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceEventSchema } from '../../../domain/trace-schema.ts';
import { damaged, fixtureLines, only, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import { openGeminiStream } from './gemini-stream.ts';

const lines = (name: string): string[] => fixtureLines(new URL(`./fixtures/${name}.jsonl`, import.meta.url));

const command = 'echo hello-from-tool && pwd && ls -a';
const delta = (content: string): string => JSON.stringify({ type: 'message', role: 'assistant', content, delta: true });

describe('the stream of Gemini CLI', () => {
  it('emits messages, the command, its result and the usage', () => {
    const { events, report } = playLines(openGeminiStream, lines('ok'));
    const callId = 'run_shell_command__fc_3jmwh3xvz4';
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
      {
        type: 'usage',
        seenBy: 'agent',
        model: 'gemini-2.5-flash',
        inputTokens: 3000,
        cachedInputTokens: 600,
        outputTokens: 84,
      },
    ]);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined, turns: 2 });
  });

  it('blames the model for a refused key', () => {
    const { report } = playLines(openGeminiStream, lines('error401'), { exitCode: 145 });
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
  });

  it('puts the pieces of a message together', () => {
    const use = JSON.stringify({ type: 'tool_use', tool_id: 'a', tool_name: 'read_file', parameters: {} });
    const { events } = playLines(openGeminiStream, [delta('Hel'), delta('lo'), use, delta('Bye')]);
    expect(only(events, 'message', 'tool-call')).toEqual([
      expect.objectContaining({ text: 'Hello' }),
      expect.objectContaining({ tool: 'read_file' }),
      expect.objectContaining({ text: 'Bye' }),
    ]);
  });

  it.each([
    [
      { status: 'success', output: 'Command exited with code: 3' },
      { exitCode: 3, result: 'Command exited with code: 3' },
    ],
    [{ status: 'error', error: { message: 'failed\nExit Code: 4' } }, { exitCode: 4 }],
    [
      { status: 'error', output: 'denied' },
      { exitCode: null, error: { message: 'denied' } },
    ],
  ])('reads the exit code of %j', (fields, expected) => {
    const use = { type: 'tool_use', tool_id: 'a', tool_name: 'run_shell_command', parameters: { command: 'x' } };
    const result = { type: 'tool_result', tool_id: 'a', ...fields };
    const { events } = playLines(
      openGeminiStream,
      [use, result].map((line) => JSON.stringify(line)),
    );
    expect(only(events, 'tool-result')).toEqual([expect.objectContaining(expected)]);
  });

  it('counts reasoning, which is in the total only, as output', () => {
    const stats = { total_tokens: 150, input_tokens: 100, output_tokens: 20, cached: 0 };
    const { events } = playLines(openGeminiStream, [JSON.stringify({ type: 'result', status: 'success', stats })]);
    expect(only(events, 'usage')).toEqual([expect.objectContaining({ outputTokens: 50, reasoningTokens: 30 })]);
  });

  it('calls the limit of turns no fault', () => {
    const error = { type: 'error', severity: 'error', message: 'Maximum session turns exceeded' };
    const { report } = playLines(openGeminiStream, [delta('Hello'), JSON.stringify(error)], { exitCode: 53 });
    expect(report).toMatchObject({ completed: false, reason: 'Maximum session turns exceeded', fault: undefined });
  });

  it('takes any damage', () => {
    fc.assert(
      fc.property(damaged(lines('ok').concat(lines('error401'))), (broken) => {
        for (const event of playLines(openGeminiStream, broken).events) {
          expect(traceEventSchema.safeParse({ at: 0, ...event }).error).toBeUndefined();
        }
      }),
      { seed: 4, numRuns: repetitions({ usual: 200, inFull: 2_000 }) },
    );
  });
});
