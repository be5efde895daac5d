import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedOutput } from './bounded-output.ts';

function outputOf(chunks: readonly Uint8Array[], headLimit: number, tailLimit: number): BoundedOutput {
  const output = new BoundedOutput(headLimit, tailLimit);
  for (const chunk of chunks) output.append(Buffer.from(chunk));
  return output;
}

const asciiChunks = fc.array(fc.uint8Array({ min: 33, max: 126, maxLength: 50 }), { maxLength: 40 });
const limits = fc.nat({ max: 60 });

describe('BoundedOutput', () => {
  it('keeps everything that fits', () => {
    fc.assert(
      fc.property(asciiChunks, (chunks) => {
        const output = outputOf(chunks, 1_000, 1_000);
        expect(output.text()).toBe(Buffer.concat(chunks).toString());
        expect(output.truncatedBytes).toBe(0);
      }),
      { seed: 1 },
    );
  });

  it('keeps exactly the head and the tail of what does not fit, however it was cut into chunks', () => {
    fc.assert(
      fc.property(asciiChunks, limits, limits, (chunks, headLimit, tailLimit) => {
        const whole = Buffer.concat(chunks).toString();
        const output = outputOf(chunks, headLimit, tailLimit);
        const left = whole.length - headLimit - tailLimit;
        const head = whole.slice(0, headLimit);
        const tail = whole.slice(whole.length - tailLimit);
        const expected = left > 0 ? `${head}\n… ${left} bytes left out …\n${tail}` : whole;
        expect(output.text()).toBe(expected);
        expect(output.truncatedBytes).toBe(Math.max(0, left));
      }),
      { seed: 2 },
    );
  });

  it('reads characters of several bytes across chunks', () => {
    const bytes = Buffer.from('häé…🎉');
    const output = outputOf(
      [...bytes].map((byte) => Uint8Array.of(byte)),
      3,
      100,
    );
    expect(output.text()).toBe('häé…🎉');
  });
});
