import { describe, expect, it } from 'vitest';
import { drawnPortrait } from './drawn-portrait.ts';

describe('a drawn portrait', () => {
  it('follows from the name alone', () => {
    expect(drawnPortrait('impatient')).toEqual(drawnPortrait('impatient'));
    expect(drawnPortrait('e\u0301va')).toEqual(drawnPortrait('\u00e9va'));
    const grounds = new Set(Array.from({ length: 40 }, (_, index) => drawnPortrait(`persona ${index}`).ground));
    expect(grounds.size).toBeGreaterThan(20);
  });

  it('has the initials of any name', () => {
    const names = ['impatient', 'Ann Lee', 'ann-marie van Dyk', '李雷', '😀', '', '  éva '];
    expect(names.map((name) => drawnPortrait(name).initials)).toEqual(['I', 'AL', 'AD', '李', '?', '?', 'É']);
  });
});
