import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { only, playLines } from '../../testing/fakes/agents/testing-stream.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import type { OpenAgentStream } from './agent.ts';
import { concludeAgent } from './conclude.ts';
import { openJsonLines } from './json-line-stream.ts';
import { textOf } from './json-shapes.ts';

const openSaying: OpenAgentStream = (emit) =>
  openJsonLines(emit, (trace) => ({
    handlers: { say: (line) => trace.assistant(textOf(line.text) ?? '') },
    conclude: (exit, stderrTail) => concludeAgent({ exit, sawWork: trace.sawWork, stderrTail }),
  }));

describe('a stream of JSON lines', () => {
  it('gives a line to the handler of its type and keeps every other one', () => {
    const { events } = playLines(openSaying, ['{"type":"say","text":"hi"}', '{"type":"new","a":1}', '{"a":1}']);
    expect(events).toEqual([
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'hi' },
      { type: 'other', seenBy: 'agent', kind: 'new', data: { type: 'new', a: 1 } },
      { type: 'other', seenBy: 'agent', kind: 'unknown', data: { a: 1 } },
    ]);
  });

  it('has no handler for what every object has', () => {
    const { events } = playLines(openSaying, ['{"type":"constructor"}', '{"type":"__proto__"}']);
    expect(only(events, 'other')).toHaveLength(2);
  });

  it('collects lines that are not JSON, and reports those that look like broken JSON', () => {
    const { events } = playLines(openSaying, ['Loading', '{"type":"say","te', '[1]', '7'], {}, ['warning']);
    expect(events).toEqual([
      {
        type: 'output',
        seenBy: 'agent',
        channel: 'stdout',
        text: 'Loading\n{"type":"say","te\n[1]\n7\n',
        truncatedBytes: 0,
      },
      { type: 'output', seenBy: 'agent', channel: 'stderr', text: 'warning\n', truncatedBytes: 0 },
      { type: 'notice', seenBy: 'agent', message: '1 line of the agent could not be read as JSON' },
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
    expect(only(events, 'notice')).toHaveLength(1);
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
