import { describe, expect, it } from 'vitest';
import { observedCalls } from '../../../domain/tools/tool-calls.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { mcpLog, mcpTraceOf } from '../../../testing/fakes/mcp/mcp-log-corpus.ts';
import { coverageOf } from '../../../testing/support/coverage-of.ts';

const message = (direction: 'to-server' | 'from-server', text: string, more: object = {}): string =>
  JSON.stringify({ kind: 'message', direction, text, proxy: 'a0b1c2d3e4f5', at: 99, ...more });
const withLine = (line: string): Trace => mcpTraceOf([...mcpLog.slice(0, -1), line, ...mcpLog.slice(-1)]);
const gapsOf = (trace: Trace): object[] =>
  eventsOf(trace, 'gap').map(({ channels, reason, place }) => ({ channels, reason, ...(place && { place }) }));

const both = ['tool-calls', 'tool-results'];
const results = ['tool-results'];
const named = (text: string): string => `MCP server "shop": ${text}`;

describe('the messages between an agent and a server', () => {
  it('have no gap where all of them are understood', () => {
    expect(gapsOf(mcpTraceOf(mcpLog))).toEqual([]);
  });

  it.each([
    ['a call that was cut', message('to-server', '{"jsonrpc":"2.0","id":9,"method":"tools/c'), both, /not messages/],
    ['an answer that was cut', message('from-server', '{"jsonrpc":"2.0","id":9,"res'), results, /not messages/],
    ['an answer to no request', message('from-server', '{"id":77,"result":{"content":[]}}'), both, /unknown requests/],
    [
      'another answer to a request',
      message('from-server', '{"id":2,"result":{"content":[]}}'),
      both,
      /unknown requests/,
    ],
    ['a call that was shortened', message('to-server', '{"method":"x"}', { bytesLeftOut: 5 }), both, /shortened/],
    [
      'an answer that was shortened',
      message('from-server', '{"method":"x"}', { bytesLeftOut: 5 }),
      results,
      /shortened/,
    ],
    ['a line of the log that is not a record', '{"kind":"message"', both, /not records/],
  ])('have a gap for %s', (_, line, channels, reason) => {
    expect(gapsOf(withLine(line))).toEqual([{ channels, reason: expect.stringMatching(reason) }]);
  });

  it('name the server by its handshake, also where it answered an earlier question with nothing', () => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-06-30' };
    const probe = JSON.stringify({ jsonrpc: '2.0', id: 'probe', method: 'server/discover', params: { _meta } });
    const nothing = JSON.stringify({ jsonrpc: '2.0', id: 'probe', result: {} });
    const probed = [message('to-server', probe, { at: 1 }), message('from-server', nothing, { at: 1 })];
    const [first = '', ...rest] = mcpLog;
    const [plain, other] = [mcpTraceOf(mcpLog), mcpTraceOf([first, ...probed, ...rest])];
    expect(eventsOf(plain, 'mcp-server')[0]?.name).not.toBe('');
    expect(eventsOf(other, 'mcp-server')[0]?.name).toBe(eventsOf(plain, 'mcp-server')[0]?.name);
  });

  it('have a gap for calls whose ids name two of them', () => {
    const again = message('to-server', '{"id":2,"method":"tools/call","params":{"name":"buy"}}');
    const trace = mcpTraceOf([...mcpLog.slice(0, 7), again, ...mcpLog.slice(7)]);
    expect(gapsOf(trace)).toEqual([
      { channels: both, reason: named('requests that reuse the id of an unanswered request') },
    ]);
    expect(observedCalls(trace).map(({ tool }) => tool)).toEqual(['find', 'buy', 'buy']);
  });

  it('have a gap for a list of tools that never came, or has something else in it', () => {
    const requested = mcpTraceOf(mcpLog.filter((_, index) => index !== 5));
    const list = { channels: ['tool-calls'], reason: expect.stringMatching(/list of tools/), place: 'tools/list' };
    expect(gapsOf(requested)).toEqual([list]);
    const broken = mcpLog.map((line) => line.replace('{\\"name\\":\\"buy\\"}', '7'));
    expect(gapsOf(mcpTraceOf(broken))).toEqual([list]);
  });

  it('have a gap for a call that was never answered', () => {
    expect(gapsOf(mcpTraceOf(mcpLog.filter((_, index) => index !== 10)))).toEqual([
      { channels: results, reason: named('tools/call of buy has no answer') },
    ]);
  });

  it('have a gap for content of an unknown kind, with its place', () => {
    const lines = mcpLog.map((line) =>
      line.replace('\\"type\\":\\"text\\",\\"text\\":\\"green', '\\"type\\":\\"new\\",\\"text\\":\\"green'),
    );
    expect(gapsOf(mcpTraceOf(lines))).toEqual([
      { channels: results, reason: expect.stringContaining('refuse a result'), place: 'result.content[0].type' },
    ]);
  });

  it('have a gap for sessions beyond those that are read', () => {
    const starts = Array.from({ length: 105 }, (_, index) =>
      JSON.stringify({ kind: 'start', proxy: index.toString(16).padStart(12, '0'), at: 0 }),
    );
    expect(gapsOf(mcpTraceOf(starts))).toEqual([{ channels: both, reason: named('5 more sessions than are read') }]);
  });

  it('have none for words that a server prints among its messages, nor for what comes again', () => {
    expect(gapsOf(withLine(message('from-server', 'Listening on stdio [ready]')))).toEqual([]);
    const whole = observedCalls(mcpTraceOf(mcpLog));
    for (const index of [2, 5, 6, 8, 9, 10]) {
      const trace = mcpTraceOf([...mcpLog.slice(0, index + 1), ...mcpLog.slice(index)]);
      expect(gapsOf(trace)).toEqual([]);
      expect(observedCalls(trace)).toEqual(whole);
    }
  });

  it('are one call where a request is sent again before its answer, and it is unknown whether it ran twice', () => {
    const again = message('to-server', String(JSON.parse(mcpLog[6] ?? '').text));
    const trace = mcpTraceOf([...mcpLog.slice(0, 7), again, ...mcpLog.slice(7)]);
    expect(observedCalls(trace).map(({ tool }) => tool)).toEqual(['find', 'buy']);
    expect(gapsOf(trace)).toMatchObject([{ channels: both }]);
  });

  it('are noticed wherever a line of the log is cut or has an unknown kind', () => {
    const facts = (trace: Trace): string =>
      JSON.stringify(observedCalls(trace).map(({ tool, input, result, error }) => ({ tool, input, result, error })));
    const whole = facts(mcpTraceOf(mcpLog));
    for (const [index, line] of mcpLog.entries()) {
      const cuts = [1, 20, Math.floor(line.length / 2), line.length - 1].map((place) => line.slice(0, place));
      for (const damaged of [...cuts, line.replace('"kind":"', '"kind":"new-')]) {
        const trace = mcpTraceOf([...mcpLog.slice(0, index), damaged, ...mcpLog.slice(index + 1)]);
        const coverage = coverageOf(trace);
        const isNoticed = coverage['tool-calls'].state !== 'complete' && coverage['tool-results'].state !== 'complete';
        expect(isNoticed || facts(trace) === whole, damaged).toBe(true);
      }
    }
  });
});
