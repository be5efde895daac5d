import { Text } from '@codemirror/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offsetIn, smallestChange } from './code-editor.tsx';

describe('smallestChange', () => {
  it('turns one text into the other', () => {
    const text = fc.stringMatching(/^[ab\n]{0,12}$/);
    fc.assert(
      fc.property(text, text, (before, after) => {
        const change = smallestChange(before, after);
        const changed = change ? before.slice(0, change.from) + change.insert + before.slice(change.to) : before;
        expect(changed).toBe(after);
      }),
      { seed: 8, numRuns: 500 },
    );
  });

  it('touches only what differs', () => {
    expect(smallestChange('name: A\nrepeat: 1\n', 'name: AB\nrepeat: 1\n')).toEqual({ from: 7, to: 7, insert: 'B' });
  });
});

describe('offsetIn', () => {
  it('stays inside of the text', () => {
    const text = Text.of(['ab', 'c']);
    expect(offsetIn(text, { line: 2, column: 1 })).toBe(3);
    expect(offsetIn(text, { line: 1, column: 99 })).toBe(2);
    expect(offsetIn(text, { line: 99, column: 1 })).toBe(3);
  });
});
