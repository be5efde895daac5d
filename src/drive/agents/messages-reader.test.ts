import { describe, expect, it } from 'vitest';
import { only, playLines } from '../../testing/fakes/agents/testing-stream.ts';
import { openClaudeStream } from './claude-code/claude-code.ts';
import { openKimiStream } from './kimi/kimi.ts';

function eventsOf(...content: readonly object[]) {
  const line = { type: 'assistant', uuid: 'line-1', message: { id: 'message-1', role: 'assistant', content } };
  return playLines(openClaudeStream, [JSON.stringify(line)]).events;
}

describe('blocks in the messages of an agent', () => {
  it('hold the calls of tools that the provider runs, with their failures', () => {
    const failure = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' };
    const events = eventsOf(
      { type: 'server_tool_use', id: 'call-1', name: 'web_search', input: { query: 'tide' } },
      { type: 'web_search_tool_result', tool_use_id: 'call-1', content: failure },
    );
    expect(only(events, 'tool-call', 'tool-result')).toMatchObject([
      { tool: 'web_search', callId: 'call-1', input: { query: 'tide' } },
      { callId: 'call-1', error: { message: JSON.stringify(failure) } },
    ]);
  });

  it('hold the calls of MCP servers that the provider makes', () => {
    const call = { type: 'mcp_tool_use', id: 'call-1', name: 'book', server_name: 'tables', input: {} };
    expect(only(eventsOf(call), 'tool-call')).toMatchObject([{ tool: 'book', kind: 'mcp' }]);
  });

  it('are gaps where a call has lost its arguments', () => {
    const events = eventsOf({ type: 'tool_use', id: 'call-1', name: 'Read' });
    expect(only(events, 'gap')).toContainEqual(
      expect.objectContaining({
        channels: ['tool-calls'],
        reason: 'a call of `Read` came without its arguments',
      }),
    );
  });

  it('are gaps where the calls of a chat message are of an unknown kind', () => {
    const line = JSON.stringify({ role: 'assistant', content: 'I book it.', tool_calls: { id: 'call-1' } });
    expect(only(playLines(openKimiStream, [line]).events, 'gap')).toContainEqual(
      expect.objectContaining({ channels: ['tool-calls'], reason: 'a call is of an unknown kind' }),
    );
  });
});
