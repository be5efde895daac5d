import { describe, expect, it } from 'vitest';
import { checkedLook } from './read-page.ts';

const whole = {
  url: 'http://localhost:1/',
  title: 'Orders',
  ready: true,
  text: 'Orders',
  cut: false,
  elements: [{ text: 'W1', visible: true }],
  localStorage: { last: null },
};
const look = { open: undefined, selector: '.order', cookies: [], localStorage: ['last'] };

/** The answer of the page script without one part, at any depth, and with another type in its place. */
function* damaged(value: unknown, put: (part: unknown) => unknown): Generator<unknown> {
  for (const other of [undefined, 7, null, ['x']]) yield put(other);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const replace = (given: unknown): unknown => {
      if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? given : item));
      const others = Object.entries(value).filter(([name]) => name !== key);
      return Object.fromEntries(given === undefined ? others : [...others, [key, given]]);
    };
    yield* damaged(part, (given) => put(replace(given)));
  }
}

describe('a page of which something is missing', () => {
  it('is read when all of it is there', () => {
    expect(checkedLook(look, whole)).toEqual(whole);
  });

  it('is never taken for a page without it', () => {
    const documents = [...damaged(whole, (part) => part)].filter(
      // An entry may be missing in the storage.
      (document) => JSON.stringify(document) !== JSON.stringify(whole),
    );
    expect(documents.length).toBeGreaterThan(30);
    for (const document of documents) expect(() => checkedLook(look, document), JSON.stringify(document)).toThrow();
  });

  it.each([
    ['an error page', { ...whole, url: 'chrome-error://chromewebdata/' }, 'it could not be loaded'],
    ['a page that still loads', { ...whole, ready: false }, 'it was still loading'],
  ])('%s cannot be read', (_what, found, reason) => {
    expect(() => checkedLook(look, found)).toThrow(reason);
  });
});
