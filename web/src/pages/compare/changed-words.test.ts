import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedWords, onlyChanges, type Piece } from './changed-words.ts';

const whole = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');
const changed = (pieces: readonly Piece[]): string[] =>
  pieces.filter(({ isChanged }) => isChanged).map(({ text }) => text.trim());

describe('the words that differ between two answers', () => {
  it('are those that one side has and the other has not', async () => {
    const pieces = await changedWords('The order is on its way.', 'The order is lost.');
    expect(changed(pieces?.a ?? [])).toEqual(['on its way']);
    expect(changed(pieces?.b ?? [])).toEqual(['lost']);
  });

  it('leave both texts whole, and mark nothing in equal ones', async () => {
    const texts = fc
      .array(fc.constantFrom('order', 'lost', '42', '\n', ' ', 'ä', '{"a":1}'))
      .map((all) => all.join(' '));
    await fc.assert(
      fc.asyncProperty(texts, texts, async (a, b) => {
        const pieces = await changedWords(a, b);
        expect([whole(pieces?.a ?? []), whole(pieces?.b ?? [])]).toEqual([a, b]);
        const isAnyMarked = [...(pieces?.a ?? []), ...(pieces?.b ?? [])].some(({ isChanged }) => isChanged);
        expect(isAnyMarked).toBe(a !== b);
      }),
      { seed: 7 },
    );
  });

  it('are shown alone with what stands beside them, on request', async () => {
    const long = Array.from({ length: 200 }, (_, index) => `w${index}`).join(' ');
    const pieces = await changedWords(`${long} Oslo ${long}`, `${long} Rome ${long}`);
    const cut = onlyChanges(pieces?.a ?? []);
    expect(changed(cut)).toEqual(['Oslo']);
    expect(whole(cut).length).toBeLessThan(160);
    expect(whole(cut)).toMatch(/w198 w199 Oslo w0 w1 /);
    const [one] = onlyChanges([{ text: 'short', isChanged: false }]);
    expect(one?.text).toBe('short');
  });

  it('are not looked for in texts that have nothing in common', async () => {
    const numbers = (from: number): string => Array.from({ length: 3_000 }, (_, index) => `w${from + index}`).join(' ');
    expect(await changedWords(numbers(0), numbers(10_000))).toBeNull();
  });
});
