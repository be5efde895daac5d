import { describe, expect, it } from 'vitest';
import { fixtureLines, only, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { openPiStream } from './pi.ts';

const lines = (name: string): string[] => fixtureLines(new URL(`./fixtures/${name}.jsonl`, import.meta.url));

function bashEnded(text: string, isError: boolean): string {
  const result = { content: [{ type: 'text', text }] };
  return JSON.stringify({ type: 'tool_execution_end', toolCallId: 'c', toolName: 'bash', result, isError });
}

describe('the stream of pi', () => {
  it('emits each message once, the command, and the usage and cost of each answer', () => {
    const { events, report } = playLines(openPiStream, lines('ok'));
    const command = 'echo hello-from-tool && pwd && ls -a';
    const usage = {
      type: 'usage',
      seenBy: 'agent',
      model: 'fake-model',
      inputTokens: 1500,
      outputTokens: 42,
      cachedInputTokens: 300,
      cacheWriteInputTokens: 0,
      reasoningTokens: 0,
      costUsd: 0.001314,
    };
    expect(only(events, 'message', 'tool-call', 'tool-result', 'usage', 'other', 'output', 'notice')).toEqual([
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'I will run the command.' },
      usage,
      {
        type: 'tool-call',
        seenBy: 'agent',
        callId: 'call_3wmwh3y8mk',
        tool: 'bash',
        kind: 'shell',
        input: { command },
        shellCommand: command,
      },
      {
        type: 'tool-result',
        seenBy: 'agent',
        callId: 'call_3wmwh3y8mk',
        durationMs: 0,
        exitCode: 0,
        result: 'hello-from-tool\n/ws\n.\n..\na.txt\n',
      },
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'DONE: the tool printed hello-from-tool.' },
      usage,
    ]);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined, turns: 2 });
  });

  it('blames the model for a refused key although it exits with 0', () => {
    const { report, events } = playLines(openPiStream, lines('error401'), { exitCode: 0 });
    expect(report.completed).toBe(false);
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
    expect(only(events, 'usage')).toEqual([]);
  });

  it.each([
    ['401 The key is wrong.', 'MODEL_UNAUTHORIZED'],
    ['429: slow down', 'MODEL_RATE_LIMITED'],
    ['503 status code (no body)', 'MODEL_UNAVAILABLE'],
  ])('knows the failure of the provider by its first word: %s', (errorMessage, code) => {
    const message = { role: 'assistant', content: [], stopReason: 'error', errorMessage };
    const { report } = playLines(openPiStream, [JSON.stringify({ type: 'message_end', message })]);
    expect(report.fault).toMatchObject({ code });
  });

  it('is not judged where it fails before its first request, which only its last line says', () => {
    const message = { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'Failed to resolve API key' };
    const started = ['session', 'agent_start', 'turn_start'].map((type) => JSON.stringify({ type }));
    const ended = JSON.stringify({ type: 'agent_end', messages: [message] });
    const { report } = playLines(openPiStream, [...started, ended]);
    expect(report.fault?.message).toContain('Failed to resolve API key');
  });

  it('forgets an error that it got over', () => {
    const { report } = playLines(openPiStream, [...lines('error401'), ...lines('ok')]);
    expect(report).toMatchObject({ completed: true, fault: undefined });
  });

  it('finds the exit code in the words that it adds, and none in a command that was stopped', () => {
    const failed = playLines(openPiStream, [bashEnded('no such file\n\nCommand exited with code 2', true)]);
    expect(only(failed.events, 'tool-result')).toMatchObject([{ exitCode: 2 }]);
    const stopped = playLines(openPiStream, [bashEnded('Command timed out after 5 seconds', true)]);
    expect(only(stopped.events, 'tool-result')).toMatchObject([
      { exitCode: null, error: { message: 'Command timed out after 5 seconds' } },
    ]);
  });

  it('does not take what a command printed for its exit code', () => {
    const { events } = playLines(openPiStream, [bashEnded('Command exited with code 7\nall is well', false)]);
    expect(only(events, 'tool-result')).toMatchObject([{ exitCode: 0 }]);
  });

  it('emits thoughts, and unknown events', () => {
    const message = { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }], stopReason: 'stop' };
    const retry = { type: 'auto_retry_start', attempt: 1 };
    const { events } = playLines(openPiStream, [
      JSON.stringify({ type: 'message_end', message }),
      JSON.stringify(retry),
    ]);
    expect(events).toEqual([
      { type: 'reasoning', seenBy: 'agent', text: 'hm' },
      { type: 'other', seenBy: 'agent', kind: 'auto_retry_start', data: retry },
    ]);
  });
});
