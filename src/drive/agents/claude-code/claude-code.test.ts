import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceEventSchema } from '../../../domain/trace-schema.ts';
import { damaged, fixtureLines, only, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import { openClaudeStream } from './claude-code.ts';

const lines = (name: string): string[] => fixtureLines(new URL(`./fixtures/${name}.jsonl`, import.meta.url));

const command = 'echo hello-from-tool && pwd && ls -a';

function assistantLine(content: unknown, more: object = {}): string {
  return JSON.stringify({ type: 'assistant', message: { id: 'm', content, usage: {} }, ...more });
}

function shellResult(content: string, isError: boolean, details: object = {}): string[] {
  const result = { type: 'tool_result', tool_use_id: 't', content, is_error: isError };
  return [
    assistantLine([{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'x' } }]),
    JSON.stringify({ type: 'user', message: { content: [result] }, tool_use_result: details }),
  ];
}

describe('the stream of Claude Code', () => {
  it('emits messages, the command, its result and the usage', () => {
    const { events, report } = playLines(openClaudeStream, lines('ok'));
    expect(only(events, 'message', 'tool-call', 'tool-result', 'usage')).toEqual([
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'I will run the command.' },
      {
        type: 'tool-call',
        seenBy: 'agent',
        callId: 'toolu_38mwh3xp5k',
        tool: 'Bash',
        kind: 'shell',
        input: { command },
        shellCommand: command,
      },
      {
        type: 'tool-result',
        seenBy: 'agent',
        callId: 'toolu_38mwh3xp5k',
        durationMs: 0,
        result: 'hello-from-tool\n/ws\n.\n..\na.txt',
        exitCode: 0,
      },
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'DONE: the tool printed hello-from-tool.' },
      {
        type: 'usage',
        seenBy: 'agent',
        model: 'claude-opus-5-5',
        inputTokens: 3000,
        cachedInputTokens: 600,
        cacheWriteInputTokens: 0,
        outputTokens: 84,
        reasoningTokens: 0,
        costUsd: 0.011399999999999999,
      },
    ]);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined, turns: 2 });
  });

  it.each(['partial', 'mcp'])('emits everything once where %s repeats it', (name) => {
    const { events, report } = playLines(openClaudeStream, lines(name));
    const types = only(events, 'message', 'tool-call', 'tool-result', 'usage').map(
      (event) => 'type' in event && event.type,
    );
    expect(types).toEqual(['message', 'tool-call', 'tool-result', 'message', 'usage']);
    expect(report.completed).toBe(true);
  });

  it('blames the model for a refused key, though the closing line says success', () => {
    const { events, report } = playLines(openClaudeStream, lines('error401'), { exitCode: 1 });
    expect(report.completed).toBe(false);
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
    expect(report.fault?.message).toContain('Failed to authenticate. API Error: 401');
    expect(only(events, 'message', 'usage')).toEqual([]);
  });

  it('believes the closing line more than exit code 0', () => {
    const { report } = playLines(openClaudeStream, lines('error401'), { exitCode: 0 });
    expect(report).toMatchObject({ completed: false, fault: { code: 'MODEL_UNAUTHORIZED' } });
  });

  it.each([
    [
      'a failed command',
      shellResult('Exit code 2\nno such file', true),
      { exitCode: 2, result: 'Exit code 2\nno such file' },
    ],
    [
      'a command that was not let run',
      shellResult('Permission denied', true),
      { exitCode: null, error: { message: 'Permission denied' } },
    ],
    [
      'a code reported as text',
      shellResult('', false, { returnCodeInterpretation: 'No matches found' }),
      { exitCode: null },
    ],
    ['a command in the background', shellResult('started', false, { backgroundTaskId: 'b1' }), { exitCode: null }],
    ['a command that did well', shellResult('', false), { exitCode: 0, result: '' }],
  ])('reads the exit code of %s', (_what, reported, expected) => {
    const { events } = playLines(openClaudeStream, reported);
    expect(only(events, 'tool-result')).toEqual([expect.objectContaining(expected)]);
  });

  it('keeps the names of MCP tools and emits reasoning', () => {
    const blocks = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'tool_use', id: 'a', name: 'mcp__ev__echo', input: { message: 'hi' } },
    ];
    const { events } = playLines(openClaudeStream, [assistantLine(blocks)]);
    expect(only(events, 'reasoning', 'tool-call')).toEqual([
      { type: 'reasoning', seenBy: 'agent', text: 'hm' },
      { type: 'tool-call', seenBy: 'agent', callId: 'a', tool: 'mcp__ev__echo', kind: 'mcp', input: { message: 'hi' } },
    ]);
  });

  it('calls the limit of turns no fault', () => {
    const closing = { type: 'result', subtype: 'error_max_turns', is_error: true, num_turns: 3, usage: {} };
    const { report } = playLines(openClaudeStream, [...lines('ok').slice(0, 4), JSON.stringify(closing)], {
      exitCode: 1,
    });
    expect(report).toMatchObject({
      completed: false,
      reason: 'reached the turn limit',
      fault: undefined,
      turns: 3,
    });
  });

  it('calls a refusal no fault', () => {
    const closing = {
      type: 'result',
      subtype: 'success',
      is_error: false,
      stop_reason: 'refusal',
      usage: { output_tokens: 3 },
    };
    const { report } = playLines(openClaudeStream, [JSON.stringify(closing)]);
    expect(report).toMatchObject({ completed: false, reason: 'the model refused to continue', fault: undefined });
  });

  it('counts from the messages what a stream without its end has used', () => {
    const { events, report } = playLines(openClaudeStream, lines('partial').slice(0, -1), { timedOut: true });
    expect(only(events, 'usage')).toEqual([
      {
        type: 'usage',
        seenBy: 'agent',
        inputTokens: 3000,
        cachedInputTokens: 600,
        cacheWriteInputTokens: 0,
        outputTokens: 84,
      },
    ]);
    expect(report).toMatchObject({ completed: false, reason: 'stopped at the time limit', fault: undefined });
  });

  it('does not take a stream that breaks off for one that ended well', () => {
    const { report } = playLines(openClaudeStream, lines('ok').slice(0, -1));
    expect(report).toMatchObject({ completed: false, reason: 'it ended without its closing line', fault: undefined });
  });

  it('says that an MCP server is not there', () => {
    const init = { type: 'system', subtype: 'init', mcp_servers: [{ name: 'ev', status: 'failed' }] };
    const { events } = playLines(openClaudeStream, [JSON.stringify(init)]);
    expect(only(events, 'notice')).toEqual([expect.objectContaining({ message: 'MCP server "ev" did not start' })]);
  });

  it('takes any damage', () => {
    fc.assert(
      fc.property(damaged(lines('partial').concat(lines('error401'))), (broken) => {
        for (const event of playLines(openClaudeStream, broken).events) {
          expect(traceEventSchema.safeParse({ at: 0, ...event }).error).toBeUndefined();
          expect(event.seenBy).toBe('agent');
        }
      }),
      { seed: 4, numRuns: repetitions({ usual: 200, inFull: 2_000 }) },
    );
  });
});
