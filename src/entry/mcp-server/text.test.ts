import { describe, expect, it } from 'vitest';
import { boundedAnswer, clipped, moreText } from './text.ts';

describe('bounded text', () => {
  it('puts foreign text on one line without what steers a terminal', () => {
    expect(clipped(' two\nlines\u001b[31m ')).toBe('two lines\uFFFD[31m');
  });

  it('says how much was cut', () => {
    expect(clipped('x'.repeat(11), 10)).toBe('xxxxxxxxxx… (11 characters)');
    expect(clipped('x'.repeat(10), 10)).toBe('xxxxxxxxxx');
    expect(clipped(' '.repeat(1_000), 10)).toBe('… (1000 characters)');
  });

  it('ends a long answer with what to do', () => {
    const answer = boundedAnswer(Array.from({ length: 10_000 }, () => 'a line of text'));
    expect(answer.length).toBeLessThan(25_000);
    expect(answer).toMatch(/cut here: ask for less at a time/);
    expect(boundedAnswer(['one', '', 'two'])).toBe('one\ntwo');
  });

  it('says how to continue until there is nothing more', () => {
    expect(moreText({ from: 10, count: 5, total: 20 }, 'things')).toBe('5 more things: call again with from: 15');
    expect(moreText({ from: 15, count: 5, total: 20 }, 'things')).toBeNull();
    expect(moreText({ from: 90, count: 0, total: 20 }, 'things')).toBeNull();
  });
});
