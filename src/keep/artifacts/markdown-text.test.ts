import { describe, expect, it } from 'vitest';
import { codeBlock, codeSpan, inline } from './markdown.ts';

describe('inline', () => {
  it('lets no text become markup', () => {
    expect(inline('*a* _b_ `c` [d](e) <img src=x> | # ~f~ &amp; ![g] $h$')).toBe(
      '\\*a\\* \\_b\\_ \\`c\\` \\[d\\](e) \\<img src=x\\> \\| \\# \\~f\\~ \\&amp; \\!\\[g\\] \\$h\\$',
    );
    expect(inline('a\n\n## heading\n```js\n<!-- x')).toBe('a \\#\\# heading \\`\\`\\`js \\<\\!-- x');
    expect(['- a', '1. a', '12) a', '+ a', '=== a'].map((text) => inline(text))).toEqual([
      '\\- a',
      '1\\. a',
      '12\\) a',
      '\\+ a',
      '\\=== a',
    ]);
  });

  it('shows no terminal codes and nothing that is not seen', () => {
    expect(inline('\u001B[31mred\u001B[0m \u001B]0;title\u0007x\u0000\u202Ey')).toBe('red x\uFFFD\uFFFDy');
  });

  it('cuts what is too long and says so', () => {
    expect(inline('a'.repeat(1_000_000), 10)).toBe('aaaaaaaaaa… (999,990 more characters)');
    expect(inline('😀😀', 3)).toBe('😀… (2 more characters)');
  });
});

describe('codeSpan', () => {
  it('holds any backticks', () => {
    expect(codeSpan('a')).toBe('`a`');
    expect(codeSpan('a `b` ``c')).toBe('```a `b` ``c```');
    expect(codeSpan('`a')).toBe('`` `a ``');
    expect(codeSpan('a\nb')).toBe('`a b`');
  });
});

describe('codeBlock', () => {
  it('is not ended by its content', () => {
    expect(codeBlock(['a', '```', '`````', '# b'])).toEqual(['``````text', 'a', '```', '`````', '# b', '``````']);
  });
});
