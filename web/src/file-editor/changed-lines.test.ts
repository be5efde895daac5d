import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedLines } from './changed-lines.ts';

describe('changedLines', () => {
  it('shows what differs with some lines around it', () => {
    expect(changedLines('a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nd\nE\nnew\nf\n')).toBe(
      '@@ line 2 @@\n b\n c\n d\n-e\n+E\n+new\n f\n ',
    );
  });

  it('shows two places apart', () => {
    const before = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
    const after = before.with(2, 'third').with(25, 'late');
    const diff = changedLines(before.join('\n'), after.join('\n'));
    expect(diff.match(/^@@.*$/gm)).toEqual(['@@ line 1 @@', '@@ line 23 @@']);
    expect(diff).toContain('-line 3\n+third');
  });

  it('has every line of both texts that differs, and nothing else', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = changedLines(before.join('\n'), after.join('\n')).split('\n');
        const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
        expect(count('+') - count('-')).toBe((after.length || 1) - (before.length || 1));
        if (before.join('\n') === after.join('\n')) expect(count('+') + count('-')).toBe(0);
      }),
      { seed: 8 },
    );
  });
});
