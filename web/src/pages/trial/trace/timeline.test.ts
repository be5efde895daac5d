import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../../../src/domain/trace.ts';
import { traceEventSchema } from '../../../../../src/domain/trace-schema.ts';
import { eventIndexOf, eventName } from '../use-trial-address.ts';
import { chunkAt, textChunks } from './long-text.tsx';
import { findMarks, hitNumber, markedPieces, nextHit } from './marks.ts';
import {
  eventGroups,
  joinCalls,
  type PlacedEvent,
  pageSize,
  pagesAround,
  rowEventOf,
  TimelineRows,
  timelineEntry,
  typesInView,
} from './timeline.ts';

const common = { at: 10, seenBy: 'agent' } as const;
const call = (callId: string): TraceEvent => ({ type: 'tool-call', ...common, callId, tool: 't', input: {} });
const result = (callId: string): TraceEvent => ({
  type: 'tool-result',
  ...common,
  callId,
  durationMs: 3,
  result: 'ok',
});
const placed = (...events: readonly (readonly [number, TraceEvent])[]): PlacedEvent[] =>
  events.map(([index, event]) => ({ index, event, isCut: false, madeBy: null }));

describe('pages of a trace', () => {
  it('asks for what is in view and what stands next to it', () => {
    expect(pagesAround([0, 5], 1_000)).toEqual([0, 1]);
    expect(pagesAround([pageSize * 3], 1_000)).toEqual([2, 3, 4]);
    expect(pagesAround([999], 1_000)).toEqual([8, 9]);
    expect(pagesAround([0], 1)).toEqual([0]);
    expect(pagesAround([], 1_000)).toEqual([]);
  });
});

describe('joinCalls', () => {
  it('joins a call with its result, and ids that are used again in order', () => {
    const { resultOf, callOf } = joinCalls(
      placed([0, call('a')], [1, call('b')], [2, result('b')], [3, result('a')], [4, call('a')], [5, result('a')]),
    );
    expect([...callOf]).toEqual([
      [2, 1],
      [3, 0],
      [5, 4],
    ]);
    expect(resultOf.get(4)?.index).toBe(5);
  });

  it('does not join results that are far away or from another source', () => {
    const other: TraceEvent = { ...result('b'), seenBy: 'recorder' } as TraceEvent;
    const { callOf } = joinCalls(placed([0, call('a')], [1, call('b')], [2, other], [pageSize + 1, result('a')]));
    expect([...callOf]).toEqual([]);
  });
});

describe('what was recorded of a call', () => {
  const recorded = (index: number, madeBy: number): PlacedEvent => ({
    index,
    event: { ...call('r'), seenBy: 'recorder' } as TraceEvent,
    isCut: false,
    madeBy,
  });

  it('is shown in the call that made it, with its result', () => {
    const reply: TraceEvent = { ...result('r'), seenBy: 'recorder' } as TraceEvent;
    const joined = joinCalls([...placed([0, call('a')]), recorded(1, 0), ...placed([2, reply], [3, result('a')])]);
    expect(joined.recordedOf.get(0)?.map(({ index }) => index)).toEqual([1]);
    expect([0, 1, 2, 3].map((index) => rowEventOf(joined, index))).toEqual([0, 0, 0, 0]);
    expect(joined.resultOf.get(1)?.index).toBe(2);
  });

  it('stands by itself where the call is far away or not loaded', () => {
    expect([...joinCalls([...placed([0, call('a')]), recorded(pageSize + 1, 0)]).recordedOf]).toEqual([]);
    expect([...joinCalls([recorded(5, 4)]).recordedOf]).toEqual([]);
  });
});

describe('views of a trace', () => {
  it('show their types of events, and of these what the filter lets through', () => {
    expect(typesInView('list', [])).toBeUndefined();
    expect(typesInView('chat', ['files'])).toEqual([]);
    expect(typesInView('waterfall', ['commands'])).toEqual(['command', 'script']);
  });
});

describe('timelineEntry', () => {
  it('shows a call together with its result', () => {
    const entry = timelineEntry(
      { type: 'tool-call', at: 5, seenBy: 'agent', callId: 'x', tool: 'bash', input: {}, shellCommand: 'ls -l' },
      { type: 'tool-result', at: 9, seenBy: 'agent', callId: 'x', durationMs: 4, exitCode: 2, result: 'no such file' },
    );
    expect(entry).toMatchObject({
      look: 'call',
      name: 'bash',
      line: 'ls -l',
      answer: 'no such file',
      ending: 'exit 2',
      isProblem: true,
      startMs: 5,
      durationMs: 4,
    });
    expect(entry.blocks.map(({ label }) => label)).toEqual(['command', 'input', 'result']);
  });

  it('says how commands ended beside them, and keeps control characters out', () => {
    const entry = timelineEntry({
      type: 'command',
      at: 50,
      seenBy: 'recorder',
      argv: ['taskmgr', 'add', '\u001B[31mx\ny'],
      cwd: '.',
      durationMs: 20,
      exitCode: null,
      signal: 'SIGKILL',
      stdout: null,
      stderr: null,
      isNested: false,
    });
    expect(entry).toMatchObject({ line: 'taskmgr add x y', ending: 'ended by SIGKILL', isProblem: true, startMs: 30 });
  });
});

describe('TimelineRows', () => {
  it('finds rows of events with and without a filter', () => {
    const all = new TimelineRows(5);
    expect([all.count, all.eventAt(3), all.rowOf(3), all.rowOf(5)]).toEqual([5, 3, 3, undefined]);
    const some = new TimelineRows(100, [2, 40, 41]);
    expect([some.count, some.eventAt(1), some.rowOf(41), some.rowOf(3)]).toEqual([3, 40, 2, undefined]);
    expect(some.firstRowFrom(3)).toBe(1);
  });

  it('steps over what is folded into another row and stays at the ends', () => {
    const rows = new TimelineRows(4);
    const isFolded = (index: number): boolean => index === 1 || index === 3;
    expect(rows.neighbour(0, 1, isFolded)).toBe(2);
    expect(rows.neighbour(2, -1, isFolded)).toBe(0);
    expect(rows.neighbour(2, 1, isFolded)).toBe(2);
  });
});

describe('event groups', () => {
  it('have every type of event in exactly one of them', () => {
    const types = traceEventSchema.options.map((option) => option.shape.type.value);
    expect(eventGroups.flatMap((group) => group.types).toSorted()).toEqual(types.toSorted());
  });
});

describe('marks', () => {
  it('finds words in any case, and quotes to the letter, also inside of JSON', () => {
    expect(findMarks('One two ONE', { text: 'one', isQuote: false })).toEqual([
      { start: 0, end: 3 },
      { start: 8, end: 11 },
    ]);
    expect(findMarks('One two', { text: 'one', isQuote: true })).toEqual([]);
    expect(findMarks('{"text": "a\\n\\"b\\""}', { text: 'a\n"b"', isQuote: true })).toHaveLength(1);
    expect(findMarks('anything', { text: '', isQuote: false })).toEqual([]);
  });

  it('cuts a text into pieces that are the text again, wherever the chunks end', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', '\n', '😀'), maxLength: 60 }),
        fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 9 }),
        (text, wanted, longest) => {
          const marks = findMarks(text, { text: wanted, isQuote: true });
          const chunks = textChunks(text, longest);
          expect(chunks.map((chunk) => chunk.text).join('')).toBe(text);
          const pieces = chunks.flatMap((chunk) => markedPieces(chunk.text, chunk.start, marks));
          expect(pieces.map((piece) => piece.text).join('')).toBe(text);
          const marked = pieces.filter(({ isMarked }) => isMarked).map((piece) => piece.text);
          expect(marked.join('')).toBe(marks.map(({ start, end }) => text.slice(start, end)).join(''));
        },
      ),
      { seed: 20, numRuns: 300 },
    );
  });

  it('keeps chunks short and finds the one of a place', () => {
    const chunks = textChunks(`${'x'.repeat(9_000)}\n${'line\n'.repeat(2_000)}`);
    expect(Math.max(...chunks.map(({ text }) => text.length))).toBeLessThanOrEqual(4_000);
    expect(chunkAt(chunks, 8_500)).toBe(2);
    expect(chunkAt(chunks, 1_000_000)).toBe(chunks.length - 1);
    expect(textChunks('')).toEqual([]);
  });
});

describe('hits of a search', () => {
  it('are walked through in both directions and round the ends', () => {
    const hits = [3, 8, 20];
    expect([undefined, 3, 9, 20].map((from) => nextHit(hits, from, 1))).toEqual([3, 8, 20, 3]);
    expect([undefined, 3, 9, 20].map((from) => nextHit(hits, from, -1))).toEqual([20, 20, 8, 8]);
    expect(nextHit([], 3, 1)).toBeUndefined();
    expect([hitNumber(hits, 8), hitNumber(hits, 9), hitNumber(hits, undefined)]).toEqual([2, 0, 0]);
  });
});

describe('names of events', () => {
  it('lead to places that there are', () => {
    expect(['e1', 'e12', 'e13', 'e0', 'final', 'e1x'].map((name) => eventIndexOf(name, 12))).toEqual([
      0,
      11,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(eventName(0)).toBe('e1');
  });
});
