import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesOf } from './values.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '🎉', '\n', '👩‍🚀') });

describe('piecesOf', () => {
  it('loses nothing, breaks no character, and makes no more pieces than requested', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 20 }), (text, count) => {
        const pieces = piecesOf(text, count);
        expect(pieces.join('')).toBe(text);
        expect(pieces.length).toBeLessThanOrEqual(count);
        expect(pieces.every((piece) => piece !== '' && Buffer.from(piece).toString() === piece)).toBe(true);
      }),
      { seed: 12 },
    );
  });

  it('makes as many as it can', () => {
    expect(piecesOf('abcdef', 3)).toEqual(['ab', 'cd', 'ef']);
    expect(piecesOf('ab', 5)).toEqual(['a', 'b']);
  });
});
