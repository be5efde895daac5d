import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from './printable.ts';

describe('printable', () => {
  it('leaves ordinary text alone and puts several lines on one', () => {
    expect(printable('häé … 🎉 “x”')).toBe('häé … 🎉 “x”');
    expect(printable('first\r\n\tsecond')).toBe('first second');
  });

  it('shows control characters instead of obeying them', () => {
    expect(printable('\u001B[2Jgone')).toBe('\uFFFD[2Jgone');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(/\p{Cc}/u);
      }),
      { seed: 11 },
    );
  });
});
