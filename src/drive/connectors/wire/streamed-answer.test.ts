import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStream, LineReader, type ServerSentEvent } from './streamed-answer.ts';

function eventsIn(pieces: readonly string[]): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const stream = new EventStream((event) => events.push(event));
  for (const piece of pieces) stream.add(piece);
  stream.end();
  return events;
}

function linesIn(pieces: readonly string[]): string[] {
  const lines: string[] = [];
  const reader = new LineReader((line) => lines.push(line));
  for (const piece of pieces) reader.add(piece);
  reader.end();
  return lines;
}

const stream =
  '\uFEFF: hello\r\nevent: greet\r\ndata: one\r\ndata:two\r\n\r\nid: 7\rdata\r\rdata: {"a":1}\n\nretry: 5\n\ndata: last';

describe('a stream of events', () => {
  it('reads fields, comments, several lines of data and an end without an empty line', () => {
    expect(eventsIn([stream])).toEqual([
      { type: 'greet', data: 'one\ntwo' },
      { type: 'message', data: '' },
      { type: 'message', data: '{"a":1}' },
      { type: 'message', data: 'last' },
    ]);
  });

  it('reads the same wherever it is cut', () => {
    const whole = eventsIn([stream]);
    expect(eventsIn([...stream])).toEqual(whole);
    for (let at = 0; at <= stream.length; at++)
      expect(eventsIn([stream.slice(0, at), stream.slice(at)])).toEqual(whole);
  });
});

describe('lines in pieces', () => {
  it('are those of the whole text', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', '\n', '\r', 'é', ' '), maxLength: 5 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(linesIn(pieces)).toEqual(linesIn([pieces.join('')]));
        const expected = pieces.join('').split(/\r\n|\n|\r/);
        if (expected.at(-1) === '') expected.pop();
        expect(linesIn(pieces)).toEqual(expected);
      }),
      { seed: 6, numRuns: 2_000 },
    );
  });
});
