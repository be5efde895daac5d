import { describe, expect, it } from 'vitest';
import { changedLines } from './changed-lines.ts';

describe('changedLines', () => {
  it('shows what differs with some lines around it', () => {
    expect(changedLines('a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nd\nE\nnew\nf\n')).toBe(
      '@@ -2 +2 @@\n b\n c\n d\n-e\n+E\n+new\n f\n ',
    );
  });

  it('shows lines that one text has at its end', () => {
    expect(changedLines('a', 'a\nb')).toBe('@@ -1 +1 @@\n a\n+b');
    expect(changedLines('a\na', 'a')).toBe('@@ -1 +1 @@\n a\n-a');
  });
});
