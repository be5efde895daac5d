import { describe, expect, it } from 'vitest';
import { recorded, traceOf } from '../../testing/fakes/score/fake-trace.ts';
import { readEventsFile } from './events-file.ts';
import { commandsOf, interactionOf } from './interaction.ts';

const tool = { binary: 'taskmgr' };

function file(...entries: readonly unknown[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join('\n');
}

describe('readEventsFile', () => {
  it('reads calls and results, which are paired by their order', () => {
    const trace = readEventsFile(
      file(
        { ts: 10, event: 'spawn', command: 'opencode', args: [] },
        { ts: 10.5, event: 'tool_call', tool: 'bash', command: 'taskmgr create a' },
        { ts: 10.7, event: 'tool_call', tool: 'bash', command: 'taskmgr list' },
        { ts: 11, event: 'tool_result', output: 'no', exit_code: 2 },
        { ts: 11, event: 'tool_result', output: 'a', exit_code: 0 },
        { ts: 12, event: 'output', text: 'done' },
        { ts: 13, event: 'complete', exit_code: 0, duration_secs: 3 },
      ),
    );
    expect(trace.map(({ type, at }) => [type, at])).toEqual([
      ['other', 0],
      ['other', 0],
      ['tool-call', 500],
      ['tool-call', 700],
      ['tool-result', 1_000],
      ['tool-result', 1_000],
      ['output', 2_000],
      ['agent-ended', 3_000],
    ]);
    expect(commandsOf(trace, tool).map(({ line, exitCode }) => [line, exitCode])).toEqual([
      ['taskmgr create a', 2],
      ['taskmgr list', 0],
    ]);
    expect(interactionOf(trace, tool)).toMatchObject({
      source: 'events-file',
      total_commands: 2,
      error_count: 1,
      completed: true,
      disagreements: [],
    });
  });

  it('reads what the older program wrote, and looks for commands in what the agent printed', () => {
    const trace = readEventsFile(
      file(
        { type: 'setup_command', index: 0, command: 'taskmgr init', exit_code: 1, output: 'x', success: false },
        { type: 'execution', tool: 'opencode', output: 'taskmgr list\nExit code: 4\n', exit_code: 1, cost_usd: 0.1 },
        { type: 'post_script', command: 'true', exit_code: null, timed_out: true, stdout: '', stderr: 'late' },
      ),
    );
    expect(trace.slice(1)).toMatchObject([
      { type: 'script', phase: 'setup', command: 'taskmgr init', exitCode: 1, stdout: { text: 'x' } },
      { type: 'output', text: 'taskmgr list\nExit code: 4\n' },
      { type: 'agent-ended', exitCode: 1, completed: false },
      { type: 'script', phase: 'post', timedOut: true, stderr: { text: 'late' } },
    ]);
    expect(trace.filter(({ type }) => type === 'script').some((event) => 'durationMs' in event)).toBe(false);
    expect(interactionOf(trace, tool)).toMatchObject({
      source: 'transcript',
      total_commands: 1,
      error_count: 1,
      completed: false,
    });
  });

  it('reads events of our own trace as they are', () => {
    const events = traceOf(recorded(['taskmgr', 'list'], 0));
    const trace = readEventsFile(file(...events.map((event) => ({ ts: 1, event: 'tool_call', ...event }))));
    expect(trace.slice(1)).toEqual(events);
    expect(interactionOf(trace, tool).source).toBe('recorder');
  });

  it('has a gap for each line that cannot be read or placed', () => {
    const trace = readEventsFile('{"event":"tool_result","exit_code":0}\n\nnot json\n[1]\n"text"\n{"ts":"x"}\n');
    const gaps = trace.flatMap((event) => (event.type === 'gap' ? [`${event.place}: ${event.reason}`] : []));
    expect(gaps).toEqual([
      'line 1: a tool result has no call',
      'line 2: a line is not a JSON object',
      'line 3: a line is not a JSON object',
      'line 4: a line is not a JSON object',
      'line 5: an event of the unknown kind null',
    ]);
  });
});
