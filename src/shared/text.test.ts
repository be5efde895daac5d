import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutMiddle, firstLine, oneLine, printable, shorten, withVisibleMarks } from './text.ts';

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

describe('withVisibleMarks', () => {
  it('names what turns names around or hides in them, and leaves the rest', () => {
    expect(withVisibleMarks('gp\u202Eexe\u200B.txt\uFEFF')).toBe('gp⟨U+202E⟩exe⟨U+200B⟩.txt⟨U+FEFF⟩');
    expect(withVisibleMarks('na\u200Dme\u200C \u{E0041}')).toBe('na⟨U+200D⟩me⟨U+200C⟩ ⟨U+E0041⟩');
    expect(withVisibleMarks('می\u200Cخواهم ❤\uFE0F\u200D🔥')).toBe('می\u200Cخواهم ❤\uFE0F\u200D🔥');
    expect(withVisibleMarks('שלום 👩\u200D🔬 é')).toBe('שלום 👩\u200D🔬 é');
  });
});

describe('shorten', () => {
  it('keeps a text that fits and marks one that was cut', () => {
    expect(shorten('four', 4)).toBe('four');
    expect(shorten('fives', 4)).toBe('fiv…');
  });

  it('never exceeds the limit and never halves a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-composite' }), fc.integer({ min: 1, max: 50 }), (text, most) => {
        const short = shorten(text, most);
        expect(short.length).toBeLessThanOrEqual(Math.max(most, 1));
        expect(short.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('cutMiddle', () => {
  it('keeps both ends and says how much is missing', () => {
    expect(cutMiddle('abcdef', 6)).toBe('abcdef');
    expect(cutMiddle('abcdefghij', 4)).toBe('ab … 6 characters left out … ij');
  });
});

it('the first line is the first that has words', () => {
  expect(firstLine('\n  a b\r\nc')).toBe('a b');
  expect(firstLine(' \n')).toBe('');
});

it('one line has no other white space than single spaces', () => {
  expect(oneLine(' a\n\t b ')).toBe('a b');
});
