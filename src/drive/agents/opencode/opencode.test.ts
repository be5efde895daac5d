import { describe, expect, it } from 'vitest';
import { fixtureLines, only, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { openOpencodeStream } from './opencode.ts';

const lines = (name: string): string[] => fixtureLines(new URL(`./fixtures/${name}.jsonl`, import.meta.url));

function toolLine(state: object, tool = 'bash'): string {
  return JSON.stringify({ type: 'tool_use', part: { type: 'tool', tool, callID: 'c', state } });
}

describe('the stream of OpenCode', () => {
  it('emits messages, the command with its exit code and time, and the usage of each step', () => {
    const { events, report } = playLines(openOpencodeStream, lines('ok'));
    const tokens = { inputTokens: 1500, outputTokens: 42, cachedInputTokens: 300 };
    const usage = { type: 'usage', seenBy: 'agent', ...tokens, cacheWriteInputTokens: 0, reasoningTokens: 0 };
    const command = 'echo hello-from-tool && pwd && ls -a';
    expect(events).toEqual([
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'I will run the command.' },
      {
        type: 'tool-call',
        seenBy: 'agent',
        callId: 'call_3hmwh3xsvd',
        tool: 'bash',
        kind: 'shell',
        input: { command },
        shellCommand: command,
      },
      {
        type: 'tool-result',
        seenBy: 'agent',
        callId: 'call_3hmwh3xsvd',
        durationMs: 930,
        exitCode: 0,
        result: 'hello-from-tool\n/ws\n.\n..\na.txt\nopencode.json\n',
      },
      usage,
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'DONE: the tool printed hello-from-tool.' },
      usage,
    ]);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined, turns: 2 });
  });

  it('blames the model for a refused key', () => {
    const { report } = playLines(openOpencodeStream, lines('error401'), { exitCode: 1 });
    expect(report).toMatchObject({ completed: false, reason: 'scripted 401' });
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
  });

  it('does not believe exit code 0 after an error, and forgets one that it got over', () => {
    const { report } = playLines(openOpencodeStream, lines('error401'));
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED' });
    expect(playLines(openOpencodeStream, [...lines('error401'), ...lines('ok')]).report.completed).toBe(true);
  });

  it('does not take silence for work', () => {
    const { report } = playLines(openOpencodeStream, []);
    expect(report).toMatchObject({ completed: false, fault: { code: 'AGENT_FAILED' } });
  });

  it('emits a failed command with its code, and one that did not run with its error', () => {
    const { events } = playLines(openOpencodeStream, [
      toolLine({ status: 'completed', input: { command: 'false' }, output: 'no', metadata: { exit: 3 } }),
    ]);
    expect(only(events, 'tool-result')).toMatchObject([{ exitCode: 3, result: 'no' }]);
    const refused = playLines(openOpencodeStream, [
      toolLine({ status: 'error', input: { command: 'x' }, error: 'denied' }),
    ]);
    expect(only(refused.events, 'tool-result')).toMatchObject([{ exitCode: null, error: { message: 'denied' } }]);
  });

  it('knows no command line and no exit code of other tools', () => {
    const { events } = playLines(openOpencodeStream, [
      toolLine({ status: 'completed', input: { command: 'x' }, output: 'text' }, 'docs_search'),
    ]);
    expect(only(events, 'tool-call')[0]).not.toHaveProperty('shellCommand');
    expect(only(events, 'tool-result')[0]).toEqual({
      type: 'tool-result',
      seenBy: 'agent',
      callId: 'c',
      durationMs: 0,
      result: 'text',
    });
  });

  it('counts reasoning as output once, whether it is listed separately or not', () => {
    const step = (output: number): string =>
      JSON.stringify({
        type: 'step_finish',
        part: { tokens: { total: 160, input: 100, output, reasoning: 20, cache: { read: 0, write: 0 } }, cost: 0.5 },
      });
    for (const output of [40, 60]) {
      expect(only(playLines(openOpencodeStream, [step(output)]).events, 'usage')).toMatchObject([
        { inputTokens: 100, outputTokens: 60, reasoningTokens: 20, costUsd: 0.5 },
      ]);
    }
  });
});
