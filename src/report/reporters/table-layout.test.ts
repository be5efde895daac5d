import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../shared/display-width.ts';
import { layoutOf } from './table-layout.ts';

const rows = [
  ['', 'A', 'B', 'B - A or ratio (95 % interval)', ''],
  ['pass-rate', '100 %', '50 %', '-50 points (-100 to 0 points)', 'not enough data'],
  ['duration of all the commands together', '1.2 s', '2.4 s', '×2.0 (0.5 to 8.1)', ''],
];

describe('a table', () => {
  it('keeps its columns where they fit, and shortens the names first', () => {
    const lines = layoutOf({ width: 80 }).tableLines(rows, '  ');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/^ {2}duration of al… +1\.2 s +2\.4 s +×2\.0/);
  });

  it('becomes a block for each row where they do not', () => {
    expect(layoutOf({ width: 60 }).tableRows(rows, '  ').slice(1).join('\n')).toBe(`  pass-rate
    A               100 %
    B               50 %
    B - A or ratio  -50 points (-100 to 0 points)
                    not enough data
  duration of all the commands together
    A               1.2 s
    B               2.4 s
    B - A or ratio  ×2.0 (0.5 to 8.1)`);
  });

  it('is turned on its side where its figures fit beside each other then', () => {
    const figures = Array.from({ length: 12 }, (_, index) => `figure ${index}`);
    const wide = [
      ['guidance', ...figures],
      ['terse', ...figures.map(() => '0.20')],
      ['clear', ...figures.map(() => '1')],
    ];
    const lines = layoutOf({ width: 60 }).tableLines(wide, '  ');
    expect(lines.slice(0, 3)).toEqual([
      '  guidance   terse  clear',
      '  figure 0    0.20      1',
      '  figure 1    0.20      1',
    ]);
    expect(lines).toHaveLength(13);
  });

  it.each([40, 60, 80, 100, 200])('never is wider than %i columns, also with wide characters', (width) => {
    const wide = rows.map((row) => row.map((cell) => cell.replace('duration', '実行時間の長さ')));
    for (const row of layoutOf({ width }).tableLines(wide, '    ')) {
      for (const line of row.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    }
  });
});
