import { describe, expect, it } from 'vitest';
import { fixtureLines, only, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { openCopilotStream } from './copilot.ts';

const lines = (name: string): string[] => fixtureLines(new URL(`./fixtures/${name}.jsonl`, import.meta.url));

const line = (type: string, data: object): string => JSON.stringify({ type, data });
const started = line('tool.execution_start', { toolCallId: 'c', toolName: 'bash', arguments: { command: 'x' } });

describe('the stream of the Copilot CLI', () => {
  it('emits messages and the command with its exit code, and no transient events', () => {
    const { events, report } = playLines(openCopilotStream, lines('ok'));
    const command = 'echo hello-from-tool && pwd && ls -a';
    expect(only(events, 'message', 'tool-call', 'tool-result', 'usage', 'other', 'output', 'notice')).toEqual([
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'I will run the command.' },
      {
        type: 'tool-call',
        seenBy: 'agent',
        callId: 'call_3zmwh3yawe',
        tool: 'bash',
        kind: 'shell',
        input: { command, description: 'run the probe command' },
        shellCommand: command,
      },
      {
        type: 'tool-result',
        seenBy: 'agent',
        callId: 'call_3zmwh3yawe',
        durationMs: 0,
        exitCode: 0,
        result: 'hello-from-tool\n/ws\n.\n..\na.txt\n<shellId: 0 completed with exit code 0>',
      },
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'DONE: the tool printed hello-from-tool.' },
    ]);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined, turns: 2 });
  });

  it('blames the model for a refused key', () => {
    const { report } = playLines(openCopilotStream, lines('error401'), { exitCode: 1 });
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
    expect(report.reason).toContain('Authentication failed with provider');
  });

  it('attributes a time-out to the model when every attempt failed', () => {
    const tried = lines('error401').filter((text) => !/"(?:session\.error|result)"/.test(text));
    const { report } = playLines(openCopilotStream, tried, { exitCode: null, signal: 'SIGTERM', timedOut: true });
    expect(report).toMatchObject({ reason: 'stopped at the time limit', fault: { code: 'MODEL_UNAUTHORIZED' } });
  });

  it('forgets a failed call of the model that was got over', () => {
    const failure = line('model.call_failure', { statusCode: 503, errorMessage: 'overloaded' });
    expect(playLines(openCopilotStream, [failure, ...lines('ok')]).report.completed).toBe(true);
  });

  it('does not believe exit code 0 of the process when its closing line reports another', () => {
    const closing = JSON.stringify({ type: 'result', exitCode: 4 });
    const { report } = playLines(openCopilotStream, [line('assistant.message', { content: 'hi' }), closing]);
    expect(report).toMatchObject({ completed: false, reason: 'it reports exit code 4', fault: undefined });
  });

  it('finds the exit code in its field, in words, or not at all', () => {
    const codes = [
      { shellExecution: { exitCode: 2 }, success: true, result: { content: 'x' } },
      { success: true, result: { content: 'x\n<exited with exit code 5>' } },
      { success: false, error: { message: 'was stopped' } },
    ].map((data) => {
      const ended = line('tool.execution_complete', { toolCallId: 'c', ...data });
      return only(playLines(openCopilotStream, [started, ended]).events, 'tool-result')[0];
    });
    expect(codes).toMatchObject([
      { exitCode: 2 },
      { exitCode: 5 },
      { exitCode: null, error: { message: 'was stopped' } },
    ]);
  });

  it('emits the usage where the agent reports it', () => {
    const usage = line('assistant.usage', { model: 'm', inputTokens: 10, outputTokens: 2, cacheReadTokens: 4 });
    expect(only(playLines(openCopilotStream, [usage]).events, 'usage')).toEqual([
      { type: 'usage', seenBy: 'agent', model: 'm', inputTokens: 10, outputTokens: 2, cachedInputTokens: 4 },
    ]);
  });
});
