import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/shared/seeded-random.ts';
import { mergedText } from './merged-text.ts';

const base = Array.from({ length: 12 }, (_, index) => `line ${index}`);
const text = (lines: readonly string[]): string => lines.join('\n');
const changed = (change: (lines: string[]) => void, lines: readonly string[] = base): string => {
  const copy = [...lines];
  change(copy);
  return text(copy);
};

describe('two edits of one text', () => {
  it('are both kept where they changed different lines', () => {
    const mine = changed((lines) => lines.splice(2, 1, 'mine', 'and more'));
    const theirs = changed((lines) => lines.splice(7, 2));
    const both = changed((lines) => {
      lines.splice(7, 2);
      lines.splice(2, 1, 'mine', 'and more');
    });
    expect(mergedText(text(base), mine, theirs)).toBe(both);
    expect(mergedText(text(base), mine, text(base))).toBe(mine);
    expect(mergedText(text(base), text(base), theirs)).toBe(theirs);
    expect(mergedText(text(base), mine, mine)).toBe(mine);
  });

  it.each([
    ['the same line', 4, 4],
    ['lines beside each other', 4, 5],
  ])('are not merged where they changed %s', (_, a, b) => {
    const mine = changed((lines) => lines.splice(a, 1, 'mine'));
    const theirs = changed((lines) => lines.splice(b, 1, 'theirs'));
    expect(mergedText(text(base), mine, theirs)).toBeUndefined();
  });

  it('are not merged where both inserted at one place', () => {
    const mine = changed((lines) => lines.splice(4, 0, 'mine'));
    const theirs = changed((lines) => lines.splice(4, 0, 'theirs'));
    expect(mergedText(text(base), mine, theirs)).toBeUndefined();
  });

  it('give the same text whichever came first, with every line that either wrote', () => {
    const random = seededRandom(7);
    const place = (): number => Math.floor(random() * base.length);
    let merges = 0;
    for (let round = 0; round < 300; round++) {
      const edit = (who: string) => (lines: string[]) =>
        lines.splice(place(), Math.floor(random() * 3), `${who} ${round}`);
      const mine = changed(edit('mine'));
      const theirs = changed(edit('theirs'));
      const merged = mergedText(text(base), mine, theirs);
      expect(mergedText(text(base), theirs, mine)).toBe(merged);
      if (merged === undefined) continue;
      merges++;
      const lines = merged.split('\n');
      expect(lines).toEqual(expect.arrayContaining([`mine ${round}`, `theirs ${round}`]));
      const kept = base.filter((line) => mine.includes(line) && theirs.includes(line));
      expect(lines.filter((line) => base.includes(line))).toEqual(
        expect.arrayContaining(kept.filter((line) => line.length > 'line 1'.length)),
      );
    }
    expect(merges).toBeGreaterThan(100);
  });
});
