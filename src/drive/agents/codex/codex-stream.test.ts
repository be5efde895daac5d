import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceEventSchema } from '../../../domain/trace-schema.ts';
import { damaged, fixtureLines, only, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import { innerCommand, openCodexStream } from './codex-stream.ts';

const lines = (name: string): string[] => fixtureLines(new URL(`./fixtures/${name}.jsonl`, import.meta.url));

function itemLine(type: 'item.started' | 'item.completed', item: object): string {
  return JSON.stringify({ type, item });
}

describe('the stream of Codex', () => {
  it('emits the message, the command without its shell, its result and the usage', () => {
    const { events, report } = playLines(openCodexStream, lines('ok'));
    expect(only(events, 'message', 'tool-call', 'tool-result', 'usage')).toEqual([
      {
        type: 'tool-call',
        seenBy: 'agent',
        callId: 'item_1',
        tool: 'shell',
        kind: 'shell',
        input: { command: "/bin/bash -lc 'echo hello-from-tool && pwd && ls -a'" },
        shellCommand: 'echo hello-from-tool && pwd && ls -a',
      },
      {
        type: 'tool-result',
        seenBy: 'agent',
        callId: 'item_1',
        durationMs: 0,
        result: 'hello-from-tool\n/ws\n.\n..\na.txt\n',
        exitCode: 0,
      },
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'DONE: the tool printed hello-from-tool.' },
      {
        type: 'usage',
        seenBy: 'agent',
        inputTokens: 3000,
        cachedInputTokens: 600,
        cacheWriteInputTokens: 0,
        outputTokens: 84,
        reasoningTokens: 0,
      },
    ]);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined, turns: 2 });
  });

  it('blames the model for a refused key', () => {
    const { report } = playLines(openCodexStream, lines('error401'), { exitCode: 1 });
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
    expect(report.reason).toContain('unexpected status 401 Unauthorized');
  });

  it('attributes a time-out to the model when every attempt to reach it failed', () => {
    const tried = [JSON.stringify({ type: 'error', message: 'Reconnecting... 1/5 (connection refused)' })];
    const { report } = playLines(openCodexStream, tried, { exitCode: null, signal: 'SIGTERM', timedOut: true });
    expect(report).toMatchObject({ reason: 'stopped at the time limit', fault: { code: 'MODEL_UNAVAILABLE' } });
  });

  it('forgets an error that it got over', () => {
    const retry = JSON.stringify({ type: 'error', message: 'Reconnecting... 1/5 (unexpected status 503)' });
    const { report } = playLines(openCodexStream, [retry, ...lines('ok')]);
    expect(report).toMatchObject({ completed: true, fault: undefined });
  });

  it('emits exit codes, refusals, MCP calls, changes of files and unknown items', () => {
    const { events } = playLines(openCodexStream, [
      itemLine('item.completed', {
        id: 'a',
        type: 'command_execution',
        command: 'false',
        exit_code: 1,
        status: 'failed',
      }),
      itemLine('item.completed', {
        id: 'b',
        type: 'command_execution',
        command: 'rm',
        exit_code: null,
        status: 'declined',
      }),
      itemLine('item.completed', {
        id: 'c',
        type: 'mcp_tool_call',
        server: 's',
        tool: 't',
        arguments: {},
        error: { message: 'no' },
      }),
      itemLine('item.completed', { id: 'd', type: 'file_change', changes: [], status: 'completed' }),
      itemLine('item.completed', { id: 'e', type: 'todo_list', items: [] }),
    ]);
    expect(only(events, 'tool-result', 'other')).toEqual([
      { type: 'tool-result', seenBy: 'agent', callId: 'a', durationMs: 0, result: '', exitCode: 1 },
      {
        type: 'tool-result',
        seenBy: 'agent',
        callId: 'b',
        durationMs: 0,
        error: { message: 'the command did not run' },
        exitCode: null,
      },
      { type: 'tool-result', seenBy: 'agent', callId: 'c', durationMs: 0, error: { message: 'no' } },
      { type: 'tool-result', seenBy: 'agent', callId: 'd', durationMs: 0, result: 'completed' },
      { type: 'other', seenBy: 'agent', kind: 'item/todo_list', data: { id: 'e', type: 'todo_list', items: [] } },
    ]);
    expect(only(events, 'tool-call')).toContainEqual(expect.objectContaining({ tool: 'mcp__s__t' }));
  });

  it('does not take a stream that breaks off for one that ended well', () => {
    const { report } = playLines(openCodexStream, lines('ok').slice(0, -1));
    expect(report).toMatchObject({ completed: false, reason: 'it ended without its closing line' });
  });

  it('takes any damage', () => {
    fc.assert(
      fc.property(damaged(lines('ok').concat(lines('error401'))), (broken) => {
        for (const event of playLines(openCodexStream, broken).events) {
          expect(traceEventSchema.safeParse({ at: 0, ...event }).error).toBeUndefined();
        }
      }),
      { seed: 4, numRuns: repetitions({ usual: 200, inFull: 2_000 }) },
    );
  });
});

describe('the command in a shell', () => {
  it.each([
    ["/bin/bash -lc 'ls -a'", 'ls -a'],
    ['bash -lc ls', 'ls'],
    ['/bin/zsh -c "echo \\"a\\" $HOME"', 'echo "a" $HOME'],
    [`sh -c 'echo '"'"'a'"'"`, `echo 'a'`],
    ["bash -lc 'a' 'b'", "bash -lc 'a' 'b'"],
    ["bash -lc 'open", "bash -lc 'open"],
    ['bash -lc ', 'bash -lc '],
    ['git status', 'git status'],
  ])('%s', (command, inner) => {
    expect(innerCommand(command)).toBe(inner);
  });

  it('is what a shell makes of single quotes, double quotes and backslashes', () => {
    const piece = fc.string({ unit: fc.constantFrom(...'ab"\'\\$ \n;é'), maxLength: 6 });
    const single = piece.map((text) => `'${text.replaceAll("'", '')}'`);
    const double = piece.map((text) => `"${text.replace(/["$\\]/g, '\\$&')}"`);
    const escaped = fc.constantFrom(...'ab"\'$ ;').map((character) => `\\${character}`);
    const word = fc.array(fc.oneof(single, double, escaped, fc.constant('bare')), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(word, (parts) => {
        const quoted = parts.join('');
        const printed = execFileSync('/bin/sh', ['-c', `printf %s ${quoted}`], { encoding: 'utf8' });
        expect(innerCommand(`/bin/bash -lc ${quoted}`)).toBe(printed);
      }),
      { seed: 4, numRuns: repetitions({ usual: 40, inFull: 200 }) },
    );
  });
});
