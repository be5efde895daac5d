import { describe, expect, it } from 'vitest';
import { fixtureLines, only, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { openClineStream } from './cline-stream.ts';

const lines = (name: string): string[] => fixtureLines(new URL(`./fixtures/${name}.jsonl`, import.meta.url));

const event = (type: string, rest: object): string =>
  JSON.stringify({ ts: '', type: 'agent_event', event: { type, ...rest } });

describe('the stream of the Cline CLI', () => {
  it('emits messages, the command with its result, and the usage of each answer', () => {
    const { events, report } = playLines(openClineStream, lines('ok'));
    const command = 'echo hello-from-tool && pwd && ls -a';
    const usage = { type: 'usage', seenBy: 'agent', inputTokens: 1500, outputTokens: 42, cachedInputTokens: 300 };
    expect(events).toEqual([
      usage,
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'I will run the command.' },
      {
        type: 'tool-call',
        seenBy: 'agent',
        callId: 'call_45mwh3yixz',
        tool: 'run_commands',
        kind: 'shell',
        input: command,
        shellCommand: command,
      },
      {
        type: 'tool-result',
        seenBy: 'agent',
        callId: 'call_45mwh3yixz',
        durationMs: 8,
        exitCode: 0,
        result: 'hello-from-tool\n/ws\n.\n..\na.txt\n',
      },
      usage,
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'DONE: the tool printed hello-from-tool.' },
    ]);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined, turns: 2 });
  });

  it('blames the model for a refused key', () => {
    const { report } = playLines(openClineStream, lines('error401'), { exitCode: 1 });
    expect(report).toMatchObject({ completed: false, reason: 'scripted 401' });
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
  });

  it('does not believe exit code 0 when its closing line reports no completion', () => {
    const closing = JSON.stringify({ type: 'run_result', finishReason: 'max_iterations', text: '' });
    const { report } = playLines(openClineStream, [...lines('ok').slice(0, -1), closing]);
    expect(report).toMatchObject({ completed: false, reason: 'it stopped: max_iterations', fault: undefined });
  });

  it('emits each command of a call separately', () => {
    const tool = { contentType: 'tool', toolName: 'run_commands', toolCallId: 'c' };
    const { events } = playLines(openClineStream, [
      event('content_start', { ...tool, input: { commands: ['one', { command: 'two', args: ['-x'] }] } }),
      event('content_end', {
        ...tool,
        durationMs: 5,
        output: [
          { query: 'one', result: 'fine', success: true },
          { query: 'two -x', result: '', error: 'Command failed with exit code 7', success: false },
        ],
      }),
    ]);
    expect(only(events, 'tool-call')).toMatchObject([
      { shellCommand: 'one' },
      { callId: 'c#2', shellCommand: 'two -x' },
    ]);
    expect(only(events, 'tool-result')).toMatchObject([
      { callId: 'c', exitCode: 0 },
      { callId: 'c#2', exitCode: 7 },
    ]);
  });

  it('emits a cost once, although the agent reports the sum each time', () => {
    const { events } = playLines(openClineStream, [
      event('usage', { inputTokens: 1, outputTokens: 1, totalCost: 0.25 }),
      event('usage', { inputTokens: 1, outputTokens: 1, totalCost: 0.75 }),
    ]);
    expect(only(events, 'usage')).toMatchObject([{ costUsd: 0.25 }, { costUsd: 0.5 }]);
  });
});
