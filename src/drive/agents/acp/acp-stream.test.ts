import { describe, expect, it } from 'vitest';
import { fixtureLines, only, playLines } from '../../../testing/fakes/agents/testing-stream.ts';
import { openAcpStream } from './acp-stream.ts';

const lines = (name: string): string[] => fixtureLines(new URL(`./fixtures/${name}.jsonl`, import.meta.url));

const command = 'echo hello-from-tool && pwd && ls -a';

const update = (fields: object): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: fields } });

const toolCall = (fields: object): string => update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...fields });

describe('recorded frames of the Agent Client Protocol', () => {
  it.each([
    {
      agent: 'opencode',
      exitCode: 0,
      callId: 'call_1fmwh3gukd',
      usage: [{ inputTokens: 1500, outputTokens: 42, cachedInputTokens: 300 }],
    },
    {
      agent: 'gemini',
      exitCode: null,
      callId: 'run_shell_command__fc_1hmwh3h6w9',
      usage: [{ inputTokens: 3000, outputTokens: 84 }],
    },
    { agent: 'kimi', exitCode: null, callId: '0:call_1qmwh3i1ww', usage: [] },
    {
      agent: 'copilot',
      exitCode: 0,
      callId: 'call_1tmwh3i5hq',
      usage: [
        {
          inputTokens: 3000,
          outputTokens: 84,
          cachedInputTokens: 600,
          cacheWriteInputTokens: 0,
          reasoningTokens: 0,
        },
      ],
    },
  ])('of $agent emit messages, the command, its exit code and the end', ({ agent, exitCode, callId, usage }) => {
    const { events, report } = playLines(openAcpStream, lines(agent));
    expect(only(events, 'message', 'tool-call', 'tool-result')).toMatchObject([
      { type: 'message', role: 'assistant', text: 'I will run the command.' },
      { type: 'tool-call', callId, shellCommand: command },
      { type: 'tool-result', callId, exitCode },
      { type: 'message', role: 'assistant', text: 'DONE: the tool printed hello-from-tool.' },
    ]);
    expect(only(events, 'usage')).toEqual(usage.map((counts) => ({ type: 'usage', seenBy: 'agent', ...counts })));
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined, turns: 2 });
  });

  it.each(['opencode', 'kimi'])('of %s emit the output of the command', (agent) => {
    const [result] = only(playLines(openAcpStream, lines(agent)).events, 'tool-result');
    expect(JSON.stringify(result)).toContain(String.raw`hello-from-tool\n/ws\n`);
  });

  it('are not taken for whole when the answer to the prompt is missing', () => {
    const { report } = playLines(openAcpStream, lines('gemini').slice(0, -1));
    expect(report).toMatchObject({ completed: false, reason: 'it ended before it had answered the prompt' });
  });

  it.each([
    ['refusal', 'the model refused to continue'],
    ['max_turn_requests', 'reached the turn limit'],
    ['something_new', 'it stopped: something_new'],
  ])('report that the agent stopped for the reason %s', (stopReason, reason) => {
    const answer = JSON.stringify({ jsonrpc: '2.0', id: 3, result: { stopReason } });
    const { report } = playLines(openAcpStream, [...lines('gemini').slice(0, -1), answer]);
    expect(report).toMatchObject({ completed: false, reason, fault: undefined });
  });

  it('blame the model for an error of its provider', () => {
    const error = { code: -32603, message: 'Internal error', data: { details: '401 Unauthorized: bad key' } };
    const { report } = playLines(openAcpStream, [JSON.stringify({ jsonrpc: '2.0', id: 3, error })]);
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
    expect(report.reason).toBe('Internal error: 401 Unauthorized: bad key');
  });

  it('blame the model for an error that OpenCode passes on in the words of its provider', () => {
    const data = { service: 'session', errorName: 'APIError' };
    const error = { code: -32603, message: 'Internal error: refused with 401.', data };
    const { report } = playLines(openAcpStream, [JSON.stringify({ jsonrpc: '2.0', id: 3, error })]);
    expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED', blame: 'model' });
  });

  it('attribute to the model an error that Copilot reports as its last message', () => {
    const message = (text: string): string =>
      update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    const answer = (result: object): string => JSON.stringify({ jsonrpc: '2.0', id: 3, result });
    const words = 'Error: Authentication failed with provider at http://127.0.0.1:9/v1 (HTTP 401).';
    const failed = [message('Info: Request failed. Retrying...'), message(words), answer({ stopReason: 'end_turn' })];
    expect(playLines(openAcpStream, failed).report).toMatchObject({
      completed: false,
      reason: words.slice('Error: '.length),
      fault: { code: 'MODEL_UNAUTHORIZED' },
    });
    const usage = { inputTokens: 1, outputTokens: 1 };
    const written = [message(words), answer({ stopReason: 'end_turn', usage })];
    expect(playLines(openAcpStream, written).report).toMatchObject({ completed: true, fault: undefined });
    const overcome = [message(words), message('It works now.'), answer({ stopReason: 'end_turn' })];
    expect(playLines(openAcpStream, overcome).report).toMatchObject({ completed: true, fault: undefined });
  });

  it('put a message together from its chunks, and part two by their ids', () => {
    const chunk = (kind: string, text: string, messageId: string): string =>
      update({ sessionUpdate: kind, messageId, content: { type: 'text', text } });
    const { events } = playLines(openAcpStream, [
      chunk('agent_thought_chunk', 'hm', 'a'),
      chunk('agent_message_chunk', 'one ', 'a'),
      chunk('agent_message_chunk', 'two', 'a'),
      chunk('agent_message_chunk', 'three', 'b'),
    ]);
    expect(only(events, 'reasoning', 'message')).toEqual([
      { type: 'reasoning', seenBy: 'agent', text: 'hm' },
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'one two' },
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'three' },
    ]);
  });

  it('emit a call once it is complete, and never its output as its command', () => {
    const { events } = playLines(openAcpStream, [
      toolCall({ kind: 'execute', status: 'pending', title: 'cat x.json' }),
      toolCall({
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: '{"command":"rm"}' } }],
      }),
    ]);
    expect(only(events, 'tool-call')).toMatchObject([{ shellCommand: 'cat x.json' }]);
  });

  it('emit a command as soon as it is allowed, where the agent has not announced it', () => {
    const toolCall = { toolCallId: 'c', kind: 'execute', title: 'make' };
    const { events } = playLines(openAcpStream, [
      JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params: { toolCall } }),
    ]);
    expect(only(events, 'tool-call')).toMatchObject([{ callId: 'c', shellCommand: 'make' }]);
  });

  it('find an exit code in the last words, where agents add it, and nowhere else', () => {
    const ended = (text: string): object =>
      only(
        playLines(openAcpStream, [
          toolCall({ kind: 'execute', rawInput: { command: 'x' }, status: 'completed', rawOutput: text }),
        ]).events,
        'tool-result',
      )[0] ?? {};
    expect(ended('no\nExit Code: 4')).toMatchObject({ exitCode: 4 });
    expect(ended('exit code 4 is documented here\nfine')).toMatchObject({ exitCode: null });
  });

  it('keep the name of a tool that is not a shell, and its failure', () => {
    const { events } = playLines(openAcpStream, [
      toolCall({ title: 'docs_search', kind: 'other', rawInput: { q: 'x' }, status: 'in_progress' }),
      toolCall({ title: 'docs_search x', status: 'failed', content: [] }),
    ]);
    expect(only(events, 'tool-call', 'tool-result')).toEqual([
      {
        type: 'tool-call',
        seenBy: 'agent',
        callId: 'c',
        tool: 'docs_search',
        kind: 'other',
        isUnlistedTool: true,
        input: { q: 'x' },
      },
      {
        type: 'tool-result',
        seenBy: 'agent',
        callId: 'c',
        durationMs: 0,
        result: '',
        error: { message: 'the tool call failed' },
      },
    ]);
  });
});
