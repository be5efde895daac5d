import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasLongPiece } from './token-shapes.ts';

/** Runs of characters that may be in a token, between others; many of them end close to the length that matters. */
const pieces = fc.array(
  fc.tuple(
    fc.string({ unit: fc.constantFrom('a', 'Z', '0', '_', '+', '/', '=', '.', ':', '%', '-'), maxLength: 17 }),
    fc.constantFrom(' ', '"', ',', '\n', '\\', '\u00e4', '\u4e2d', '\u{1f389}', '\ud800'),
  ),
  { maxLength: 8 },
);

describe('hasLongPiece', () => {
  it('finds the same as an expression for fifteen characters of a token', () => {
    fc.assert(
      fc.property(pieces, (found) => {
        const text = found.flat().join('');
        expect(hasLongPiece(text), text).toBe(/[\w+/=.:%-]{15}/.test(text));
      }),
      { seed: 43, numRuns: 2_000 },
    );
  });
});
