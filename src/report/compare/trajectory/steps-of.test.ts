import { describe, expect, it } from 'vitest';
import type { UnstampedEvent } from '../../../domain/trace.ts';
import { ended, recorded, shell, traceOf } from '../../../testing/fakes/score/fake-trace.ts';
import { firstFailedStep, stepsOf } from './steps.ts';

const workspace: UnstampedEvent = { type: 'workspace', folder: 'f', tool: { binary: 'taskmgr' } };

describe('stepsOf', () => {
  it('shows commands and how they ended', () => {
    const failing: UnstampedEvent = {
      ...(recorded(['/usr/bin/taskmgr', 'add', 'x'], 2) as Extract<UnstampedEvent, { type: 'command' }>),
      stderr: { text: 'taskmgr: unknown command\nmore', truncatedBytes: 0 },
    };
    const steps = stepsOf(
      traceOf(failing, recorded(['taskmgr', 'create', '--help'], 1), recorded(['taskmgr', 'list'], 0)),
    );
    expect(steps).toMatchObject([
      { kind: 'command', subject: 'taskmgr', label: '$ taskmgr add x', state: 'failed' },
      { state: 'help', detail: '' },
      { state: 'ok', detail: '', eventIndex: 2 },
    ]);
    expect(steps[0]?.detail).toBe('exit 2: taskmgr: unknown command');
    expect(firstFailedStep(steps)?.eventIndex).toBe(0);
  });

  it('shows recorded commands once, and those that bypassed the recorder as the agent reported them', () => {
    const trace = traceOf(
      workspace,
      ...shell('1', 'cat AGENTS.md', 0),
      ...shell('2', 'cd sub && taskmgr list', 0),
      recorded(['taskmgr', 'list'], 0),
      ...shell('3', '/opt/taskmgr doctor', 1),
    );
    expect(stepsOf(trace).map(({ label, state }) => [label, state])).toEqual([
      ['$ cat AGENTS.md', 'ok'],
      ['$ taskmgr list', 'ok'],
      ['$ /opt/taskmgr doctor', 'failed'],
    ]);
  });

  it('pairs calls with their answers, whatever their order', () => {
    const trace = traceOf(
      { type: 'tool-call', callId: 'a', tool: 'search', server: 'docs', input: { q: 'x', limit: 3 } },
      { type: 'tool-call', callId: 'b', tool: 'fetch', input: {} },
      { type: 'tool-call', callId: 'c', tool: 'fetch', input: {} },
      { type: 'tool-result', callId: 'b', durationMs: 1, error: { message: 'no route' } },
      { type: 'tool-result', callId: 'a', durationMs: 1, result: [] },
    );
    expect(stepsOf(trace)).toMatchObject([
      { kind: 'call', subject: 'docs/search', label: 'docs/search {"limit":3,"q":"x"}', state: 'ok' },
      { subject: 'fetch', state: 'failed', detail: 'no route' },
      { subject: 'fetch', state: 'unknown' },
    ]);
  });

  it('shows messages, turns, files, exchanges, scripts and the end, and passes over the rest', () => {
    const trace = traceOf(
      { type: 'message', role: 'user', text: 'Book a\ntable' },
      { type: 'message', role: 'assistant', text: '  ' },
      { type: 'reasoning', text: 'hm' },
      { type: 'usage', inputTokens: 1, outputTokens: 1 },
      { type: 'turn', number: 1, messages: [] },
      { type: 'file-change', path: 'a/b.txt', change: 'created', bytes: 1, diff: null },
      {
        type: 'mcp-exchange',
        direction: 'to-server',
        method: 'prompts/get',
        params: { name: 'p' },
        durationMs: 1,
        error: { message: 'no prompt' },
      },
      {
        type: 'script',
        phase: 'post',
        command: 'check',
        durationMs: 1,
        exitCode: null,
        signal: null,
        timedOut: true,
        stdout: null,
        stderr: null,
      },
      ended(false),
    );
    expect(stepsOf(trace).map(({ kind, label, state, detail }) => [kind, label, state, detail])).toEqual([
      ['message', 'user: Book a table', 'ok', ''],
      ['turn', 'turn 1', 'ok', ''],
      ['file', 'created a/b.txt', 'ok', ''],
      ['exchange', 'prompts/get {"name":"p"}', 'failed', 'no prompt'],
      ['script', 'post $ check', 'failed', 'it took too long'],
      ['end', 'the agent did not complete', 'failed', 'gave up'],
    ]);
  });

  it('does not let what a tool said steer a terminal, or grow without bound', () => {
    const [step] = stepsOf(traceOf(...shell('1', `echo \u001B[31m${'x'.repeat(100_000)}`, 0)));
    expect(step?.label).not.toContain('\u001B');
    expect(step?.label.length).toBe(300);
    expect(step?.key.length).toBeLessThan(1_100);
  });
});
