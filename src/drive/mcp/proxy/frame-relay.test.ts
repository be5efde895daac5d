import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idAtEdge } from './exchange.ts';
import { FrameRelay } from './frame-relay.ts';

interface Heard {
  readonly frames: string[];
  readonly oversized: number[];
  readonly sent: Buffer;
}

function relay(chunks: readonly Buffer[], limitBytes: number): Heard {
  const frames: string[] = [];
  const oversized: number[] = [];
  const listener = {
    onFrame: (frame: Buffer) => void frames.push(frame.toString('latin1')),
    onOversized: (bytes: number) => void oversized.push(bytes),
  };
  const relayed = new FrameRelay(listener, limitBytes);
  const sent = Buffer.concat([...chunks.map((chunk) => relayed.push(chunk)), relayed.end()]);
  return { frames, oversized, sent };
}

const bytes = fc.array(fc.constantFrom(10, 13, 65, 0xc3, 0xa4, 0), { maxLength: 200 }).map((list) => Buffer.from(list));

describe('frames', () => {
  it('are sent on byte for byte, however the stream is cut, and heard line by line', () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 12 }), fc.integer({ min: 1, max: 60 }), (chunks, limitBytes) => {
        const { frames, oversized, sent } = relay(chunks, limitBytes);
        const whole = Buffer.concat(chunks);
        expect(sent.equals(whole)).toBe(true);
        const lines = whole.toString('latin1').split('\n');
        if (lines.at(-1) === '') lines.pop();
        expect(frames).toEqual(lines.filter((line) => line.length <= limitBytes));
        expect(oversized).toEqual(lines.map((line) => line.length).filter((length) => length > limitBytes));
      }),
      { seed: 5, numRuns: 400 },
    );
  });

  it('may be replaced, or kept back', () => {
    const relayed = new FrameRelay({
      onFrame: (frame) => (frame.includes('b') ? null : frame.includes('c') ? Buffer.from('C') : undefined),
      onOversized: () => undefined,
    });
    expect(relayed.push(Buffer.from('a\nb\nc\nd')).toString()).toBe('a\nC\n');
    expect(relayed.end().toString()).toBe('d');
  });
});

describe('the id of a message of which only the ends are known', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":5,"result":{"text":"aaa … bbb"}}', 5],
    ['{"result":{"text":"aaa … bbb"},"jsonrpc":"2.0","id":"x\\"1"}', 'x"1'],
    ['{"id":-1,"jsonrpc":"2.0","result":{ … }}', -1],
    ['{"result":{"id":7, … },"jsonrpc":"2.0"}', null],
    ['{"jsonrpc":"2.0","method":"x","params":{"id":7, … {"id":8}}}', null],
    ['xxxx', null],
  ])('%s', (edges, id) => {
    expect(idAtEdge(edges)).toBe(id);
  });
});
