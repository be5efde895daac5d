import { describe, expect, it } from 'vitest';
import { applyEdits } from './apply-edits.ts';

describe('applyEdits', () => {
  it('replaces and adds, one edit after the other', () => {
    const edits = [
      { find: 'brief', replace: 'short ($& stays)' },
      { find: '', replace: 'Last line.' },
      { find: 'short', replace: 'terse' },
    ];
    expect(applyEdits('Be brief.', edits)).toEqual({ text: 'Be terse ($& stays).\nLast line.\n' });
  });

  it.each([
    ['x', 'y', 'does not hold the text to replace: "x"'],
    ['a', 'y', 'holds the text to replace 2 times'],
    ['ab', 'ab', 'the edits change nothing'],
    ['ab a\n', ' ', 'the edits leave an empty file'],
    ['b', 'b'.repeat(200_000), 'the file would have 200004 characters'],
  ])('says why %j cannot become %j', (find, replace, problem) => {
    expect(applyEdits('ab a\n', [{ find, replace }])).toEqual({ problem: expect.stringContaining(problem) });
  });
});
