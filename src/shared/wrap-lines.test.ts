import { describe, expect, it } from 'vitest';
import { displayWidth, fitted, fittedInside } from './display-width.ts';
import { shownWidth, wrapLines } from './wrap-lines.ts';

describe('lines that are broken', () => {
  it('keeps a command of Assay on one line, so it can be copied, where a line holds it', () => {
    const text = 'Log in again (`assay mcp-login --scope a:b`), then `go on so`.';
    expect(wrapLines(text, 36)).toBe('Log in again\n  (`assay mcp-login --scope a:b`),\n  then `go on so`.');
    expect(wrapLines(text, 20)).toBe('Log in again (`assay\n  mcp-login --scope\n  a:b`), then `go on\n  so`.');
  });

  it('go on between words with an indent, and keep their colours', () => {
    const text = `  \u001B[31m✗\u001B[39m one two three four\nshort`;
    expect(wrapLines(text, 12)).toBe('  \u001B[31m✗\u001B[39m one two\n    three\n    four\nshort');
  });

  it('go on under the last column of a list', () => {
    expect(wrapLines('  gateway  record what a program sends', 24)).toBe(
      '  gateway  record what a\n           program sends',
    );
  });

  it('keep ids and paths whole', () => {
    expect(wrapLines('  see /a/very/long/path/to/a/file.txt now', 12)).toBe(
      '  see\n    /a/very/long/path/to/a/file.txt\n    now',
    );
  });

  it('break data behind commas, and values that are longer than a line anywhere', () => {
    expect(wrapLines('  {"id":1,"name":"a","list":[1,2]}', 21)).toBe('  {"id":1,"name":"a",\n    "list":[1,2]}');
    const lines = wrapLines(`    → {"text":"${'x'.repeat(100)}","ok":true}`, 40).split('\n');
    expect(lines.every((line) => shownWidth(line) <= 40)).toBe(true);
    expect(lines.map((line) => line.trim()).join('')).toBe(`→ {"text":"${'x'.repeat(100)}","ok":true}`);
  });

  it('stay as they are without a terminal', () => {
    const text = 'word '.repeat(100);
    expect(wrapLines(text, Number.POSITIVE_INFINITY)).toBe(text);
  });
});

describe('the width of a text', () => {
  it.each([
    ['plain', 5],
    ['検索', 4],
    ['e\u0301', 1],
    ['🎉 ok', 5],
    ['… ✓ ›', 5],
  ])('of %j is %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
    expect(shownWidth(`\u001B[1m${text}\u001B[22m`)).toBe(width);
  });

  it('is kept when a text is cut at the end or inside', () => {
    const title = '検索 of orders in a long scenario › case 12';
    for (let columns = 1; columns < 50; columns++) {
      expect(displayWidth(fitted(title, columns))).toBeLessThanOrEqual(columns);
      expect(displayWidth(fittedInside(title, columns))).toBeLessThanOrEqual(columns);
    }
    expect(fittedInside(title, 20)).toMatch(/^検索 of o.*…› case 12$/);
  });
});
