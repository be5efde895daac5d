import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { only, playLines } from '../../testing/fakes/agents/testing-stream.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import type { AgentExit, OpenAgentStream } from './agent.ts';
import { ofAgents } from './agent-trace.ts';
import { concludeAgent } from './conclude.ts';
import { openJsonLines } from './json-line-stream.ts';
import { type JsonObject, textOf } from './json-shapes.ts';

const openSaying: OpenAgentStream = (emit) =>
  openJsonLines(emit, (trace) => {
    const state = { isClosed: true };
    return Object.assign(state, {
      handlers: {
        say: (line: JsonObject) => trace.assistant(textOf(line.text) ?? ''),
        open: () => {
          state.isClosed = false;
        },
      },
      isBookkeeping: (kind: string) => kind === 'ping',
      idOf: (line: JsonObject) => textOf(line.id),
      conclude: (exit: AgentExit, stderrTail: string) => concludeAgent({ exit, sawWork: trace.sawWork, stderrTail }),
    });
  });

describe('a stream of JSON lines', () => {
  it('gives a line to the handler of its type, and keeps every other one with a gap', () => {
    const { events } = playLines(openSaying, ['{"type":"say","text":"hi"}', '{"type":"new","a":1}', '{"a":1}']);
    const lost = { type: 'gap', seenBy: 'agent', channels: ofAgents };
    expect(events).toEqual([
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'hi' },
      { type: 'other', seenBy: 'agent', kind: 'new', data: { type: 'new', a: 1 } },
      { ...lost, reason: 'what the agent calls `new` is not known', place: 'line 2' },
      { type: 'other', seenBy: 'agent', kind: 'unknown', data: { a: 1 } },
      { ...lost, reason: 'what the agent calls `unknown` is not known', place: 'line 3' },
    ]);
  });

  it('keeps lines that are known to hold nothing, without a gap', () => {
    expect(playLines(openSaying, ['{"type":"ping"}']).events).toMatchObject([{ type: 'other', kind: 'ping' }]);
  });

  it('reads a line once that comes again, and trusts no id of two different lines', () => {
    const once = '{"type":"say","text":"hi","id":"1"}';
    expect(only(playLines(openSaying, [once, once]).events, 'message', 'gap')).toHaveLength(1);
    const { events } = playLines(openSaying, [once, once.replace('hi', 'ho')]);
    expect(only(events, 'message', 'gap')).toMatchObject([{ text: 'hi' }, { channels: ofAgents }, { text: 'ho' }]);
  });

  it('has a gap where the agent did not say that it ended, unless it was stopped', () => {
    const lines = ['{"type":"open"}', '{"type":"say","text":"hi"}'];
    expect(only(playLines(openSaying, lines).events, 'gap')).toMatchObject([{ channels: ofAgents }]);
    expect(only(playLines(openSaying, lines, { timedOut: true }).events, 'gap')).toEqual([]);
  });

  it('has no handler for what every object has', () => {
    const { events } = playLines(openSaying, ['{"type":"constructor"}', '{"type":"__proto__"}']);
    expect(only(events, 'other')).toHaveLength(2);
  });

  it('collects lines that are not JSON, and reports those that look like broken JSON', () => {
    const { events } = playLines(openSaying, ['Loading', '{"type":"say","te', '[1]', '7'], {}, ['warning']);
    expect(events).toEqual([
      {
        type: 'gap',
        seenBy: 'agent',
        channels: ofAgents,
        reason: 'a line of the agent is not whole JSON',
        place: 'line 2',
      },
      {
        type: 'output',
        seenBy: 'agent',
        channel: 'stdout',
        text: 'Loading\n{"type":"say","te\n[1]\n7\n',
        truncatedBytes: 0,
      },
      { type: 'output', seenBy: 'agent', channel: 'stderr', text: 'warning\n', truncatedBytes: 0 },
    ]);
  });

  it('keeps the head and the tail of a flood', () => {
    const flood = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
    const [output] = only(playLines(openSaying, flood).events, 'output');
    expect(output).toMatchObject({ text: expect.stringMatching(/^line 0\n[\s\S]*line 19999\n$/) });
    expect(JSON.stringify(output).length).toBeLessThan(50_000);
  });

  it('refuses what is nested too deeply to be walked through', () => {
    const deep = `{"type":"new","a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    const { events } = playLines(openSaying, [deep]);
    expect(only(events, 'other')).toEqual([]);
    expect(only(events, 'gap')).toHaveLength(1);
  });

  it('gives the end of stderr to the conclusion', () => {
    let given = '';
    const openListening: OpenAgentStream = (emit) =>
      openJsonLines(emit, () => ({
        handlers: {},
        conclude(exit, stderrTail) {
          given = stderrTail;
          return concludeAgent({ exit, sawWork: true });
        },
        isClosed: true,
      }));
    playLines(openListening, [], {}, ['x'.repeat(5_000), 'bad flag']);
    expect(given).toMatch(/^x+\nbad flag$/);
    expect(given.length).toBeLessThan(2_001);
  });

  it('takes any line', () => {
    const anyLine = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"type":${json}}`),
    );
    fc.assert(
      fc.property(fc.array(anyLine), (lines) => {
        expect(() => playLines(openSaying, lines)).not.toThrow();
      }),
      { seed: 4, numRuns: repetitions({ usual: 100, inFull: 1_000 }) },
    );
  });
});
