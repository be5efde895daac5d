import { describe, expect, it } from 'vitest';
import { fixtureLines, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { openContinueStream } from './continue.ts';

const ok = fixtureLines(new URL('./fixtures/ok.jsonl', import.meta.url));

describe('the stream of the Continue CLI', () => {
  it('emits the final answer', () => {
    const { events, report } = playLines(openContinueStream, ok);
    expect(events).toEqual([
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'DONE: the tool printed hello-from-tool.' },
    ]);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined });
  });

  it('emits an answer that is JSON itself', () => {
    const { events } = playLines(openContinueStream, ['{"files":["a"]}']);
    expect(events).toMatchObject([{ type: 'message', text: '{"files":["a"]}' }]);
  });

  it('does not take a failure for an answer', () => {
    const failed = JSON.stringify({ status: 'error', message: 'Error: 401 status code (no body)' });
    expect(playLines(openContinueStream, [failed]).report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED' });
    const silent = playLines(openContinueStream, [], { exitCode: 1 }, ['Error: 401 status code (no body)']);
    expect(silent.report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
  });
});
