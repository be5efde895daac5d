import { describe, expect, it } from 'vitest';
import { displayWidth } from '../display-width.ts';
import { type Block, list, type Row, table, text } from './block.ts';
import { drawMarkdown } from './draw-markdown.ts';
import { drawText } from './draw-text.ts';

const heads = ['', '#A', '#B', '#B - A or ratio (95 % interval)', 'answer'];
const rows = [
  ['pass-rate', '100 %', '50 %', '-50 points (-100 to 0 points)', 'not enough data'],
  ['duration of all the commands together', '1.2 s', '2.4 s', '×2.0 (0.5 to 8.1)', ''],
];
const lines = (block: Block, width: number, color = false): string[] =>
  drawText([{ blocks: [block] }], { color, width })
    .trimEnd()
    .split('\n');

describe('a table on a terminal', () => {
  it('keeps its columns where they fit, and shortens the names first', () => {
    const drawn = lines(table(heads, rows), 80);
    expect(drawn).toHaveLength(3);
    expect(drawn[2]).toMatch(/^ {2}duration of al+… +1\.2 s +2\.4 s +×2\.0/);
  });

  it('becomes a block for each row where they do not', () => {
    expect(lines(table(heads, rows), 50).join('\n')).toBe(`  pass-rate
    A               100 %
    B               50 %
    B - A or ratio  -50 points (-100 to 0 points)
    answer          not enough data
  duration of all the commands together
    A               1.2 s
    B               2.4 s
    B - A or ratio  ×2.0 (0.5 to 8.1)`);
  });

  it('is turned on its side where its figures fit beside each other then', () => {
    const figures = Array.from({ length: 12 }, (_, index) => `#figure ${index}`);
    const wide = [
      ['terse', ...figures.map(() => '0.20')],
      ['clear', ...figures.map(() => '1')],
    ];
    const drawn = lines(table(['guidance', ...figures], wide), 60);
    expect(drawn.slice(0, 3)).toEqual([
      '  guidance   terse  clear',
      '  figure 0    0.20      1',
      '  figure 1    0.20      1',
    ]);
    expect(drawn).toHaveLength(13);
  });

  it.each([40, 60, 80, 100, 200])('never is wider than %i columns, also with wide characters', (width) => {
    const wide = rows.map((row) => row.map((cell) => cell.replace('duration', '実行時間の長さ')));
    for (const line of lines(table(heads, wide), width)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  });

  it.each([40, 60, 80])('keeps names apart that differ at their ends, in %i columns', (width) => {
    const names = ['broad', 'narrow'].map((skill) => [`Triggers of the changelog skill (skills ${skill})`, '50 %']);
    const drawn = lines(table(['', '#recall'], names), width).slice(1);
    expect(new Set(drawn).size).toBe(2);
    expect(drawn[0]).toMatch(/broad\) +50 %$/);
  });

  it('shares its room between the columns that may be cut', () => {
    const { columns, ...cells } = table(['', 'A', 'B'], [['~', 'a'.repeat(90), 'b'.repeat(90)]]);
    const [, line = ''] = lines({ ...cells, columns: columns.map((column) => ({ ...column, isCut: true })) }, 60);
    expect(line).toMatch(/^ {2}~ {2}a{25,27}… {2}b{25,27}…$/);
  });
});

describe('a list on a terminal', () => {
  it('has marks, names in a column, and lines that belong to an item', () => {
    const items = [
      { words: 'one', name: 'A' },
      { words: 'two', name: 'longer', below: ['more'] },
      { words: 'three', mark: 'fail' as const },
    ];
    expect(lines(list(items), 80)).toEqual(['  A       one', '  longer  two', '      more', '  ✗ three']);
  });

  it('is wrapped between words, and colours no space around them', () => {
    const words = [{ text: 'alpha beta', tone: 'bad' as const }, ' gamma delta epsilon zeta eta theta'];
    const drawn = lines(list([{ words }]), 40, true);
    expect(drawn[0]).toBe('  - \u001B[31malpha beta\u001B[39m gamma delta epsilon zeta');
    expect(drawn[1]).toBe('    eta theta');
  });
});

it('keeps a command of Assay on one line, so it can be copied', () => {
  const drawn = lines(text('The token lacks scopes (`assay mcp-login --scope a:b`), log in.'), 40);
  expect(drawn).toEqual(['  The token lacks scopes', '  (`assay mcp-login --scope a:b`), log', '  in.']);
});

describe('foreign text', () => {
  const hostile = 'a|b `c` <d>\u001B[2J\n# e';
  const blocks = [
    text(hostile),
    list([hostile]),
    table(['x'], [[hostile], { cells: [[{ text: hostile, isCode: true }]] } as Row]),
  ];

  it('can neither steer a terminal nor become markup', () => {
    expect(drawText([{ title: hostile, blocks }], { color: false })).not.toMatch(/[\u0000-\u0009\u000B-\u001F]/);
    const markdown = drawMarkdown([{ title: hostile, blocks }]);
    expect(markdown).not.toMatch(/[\u0000-\u0009\u000B-\u001F]|<d>[^`]*$|^# e/m);
    const cells = markdown.split('\n').filter((line) => /^\| `?a/.test(line));
    expect(cells).toHaveLength(2);
    for (const row of cells) expect(row.match(/(?<!\\)\|/g)).toHaveLength(2);
  });

  it('has hidden characters named in Markdown: in texts, tables and code', () => {
    const hidden = 'gp\u202Eexe\u200B';
    const code = { kind: 'code', text: `${hidden}\n\u0007`, language: '' } as const;
    const drawn = drawMarkdown([
      { title: hidden, blocks: [text(hidden), list([hidden]), table(['x'], [[hidden]]), code] },
    ]);
    expect(drawn.match(/gp⟨U\+202E⟩exe⟨U\+200B⟩/g)).toHaveLength(5);
    expect(drawn).not.toMatch(/[\u202E\u200B\u0007]/);
  });
});

it('draws no heads of a table without rows', () => {
  const sections = [{ blocks: [text('kept'), table(heads, []), list([])] }];
  expect(drawText(sections, { color: false, width: 80 }).trim()).toBe('kept');
  expect(drawMarkdown(sections).trim()).toBe('kept');
});

it('draws nothing for a section without content', () => {
  expect(drawMarkdown([{ title: 'Empty', blocks: [list([]), table(['x'], [])] }])).toBe('\n');
});
