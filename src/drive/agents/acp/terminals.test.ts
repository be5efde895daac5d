import { describe, expect, it } from 'vitest';
import { TailOfLines } from './terminals.ts';

function tail(mostBytes: number, ...lines: readonly string[]): TailOfLines {
  const output = new TailOfLines(mostBytes);
  for (const line of lines) output.append(line);
  return output;
}

describe('the tail of an output', () => {
  it('is all of it where there is room', () => {
    const output = tail(8, 'one', 'two');
    expect(output).toMatchObject({ isCut: false });
    expect(output.text()).toBe('one\ntwo\n');
  });

  it('is its end where there is not, and says so', () => {
    const output = tail(6, 'one', 'two', 'three');
    expect(output.text()).toBe('three\n');
    expect(output.isCut).toBe(true);
  });

  it('has no half of a character', () => {
    expect(tail(5, 'äöü').text()).toBe('öü\n');
    expect(tail(4, 'äöü').text()).toBe('ü\n');
  });

  it('can be shrunk, and goes on', () => {
    const output = tail(100, 'one', 'two');
    output.shrinkTo(4);
    expect(output.text()).toBe('two\n');
    output.append('six');
    expect(output.text()).toBe('six\n');
  });

  it('keeps up with very much output', () => {
    const output = new TailOfLines(10);
    for (let index = 0; index < 200_000; index++) output.append(String(index));
    expect(output.text()).toBe('98\n199999\n');
  });
});
