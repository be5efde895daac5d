import { describe, expect, it } from 'vitest';
import { fixtureLines, only, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { openKimiStream } from './kimi.ts';

const lines = (name: string): string[] => fixtureLines(new URL(`./fixtures/${name}`, import.meta.url));

describe('the stream of Kimi Code', () => {
  it('emits messages and the command, whose exit code the agent does not report', () => {
    const { events, report } = playLines(openKimiStream, lines('ok.jsonl'));
    const command = 'echo hello-from-tool && pwd && ls -a';
    expect(only(events, 'message', 'tool-call', 'tool-result', 'usage', 'other', 'output', 'notice')).toEqual([
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'I will run the command.' },
      {
        type: 'tool-call',
        seenBy: 'agent',
        callId: 'call_42mwh3ycd8',
        tool: 'Bash',
        kind: 'shell',
        input: { command },
        shellCommand: command,
      },
      {
        type: 'tool-result',
        seenBy: 'agent',
        callId: 'call_42mwh3ycd8',
        durationMs: 0,
        exitCode: null,
        result: 'hello-from-tool\n/ws\n.\n..\na.txt\n',
      },
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'DONE: the tool printed hello-from-tool.' },
    ]);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined, turns: 2 });
  });

  it('attributes to the model a refused key that only stderr reports', () => {
    const { report } = playLines(openKimiStream, lines('error401.jsonl'), { exitCode: 1 }, lines('error401.stderr'));
    expect(report).toMatchObject({ reason: 'failed to run prompt: provider.auth_error: 401 scripted 401' });
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
  });

  it('blames the model also when the key is refused after some work', () => {
    const { report } = playLines(openKimiStream, lines('ok.jsonl'), { exitCode: 1 }, lines('error401.stderr'));
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED' });
  });

  it('takes the exit code of a failed command from its words', () => {
    const call = { id: 'c', function: { name: 'Bash', arguments: '{"command":"false"}' } };
    const { events } = playLines(openKimiStream, [
      JSON.stringify({ role: 'assistant', content: null, tool_calls: [call] }),
      JSON.stringify({ role: 'tool', tool_call_id: 'c', content: 'oops\nCommand failed with exit code: 3.' }),
    ]);
    expect(only(events, 'tool-result')).toMatchObject([{ exitCode: 3 }]);
  });

  it('keeps arguments that are no JSON as they were written', () => {
    const call = { id: 'c', function: { name: 'Read', arguments: '{"path": "a' } };
    const { events } = playLines(openKimiStream, [
      JSON.stringify({ role: 'assistant', content: '', tool_calls: [call] }),
    ]);
    expect(only(events, 'tool-call')).toMatchObject([{ tool: 'Read', input: '{"path": "a' }]);
  });
});
