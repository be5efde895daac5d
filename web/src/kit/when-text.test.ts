import { describe, expect, it } from 'vitest';
import { agoText, leftText } from './when-text.ts';

const now = Date.UTC(2026, 10, 15, 12);
const minute = 60_000;

describe('agoText', () => {
  it.each([
    [now - 5_000, 'just now'],
    [now + 5_000, 'just now'],
    [now - 12 * minute, '12 min ago'],
    [now - 59.9 * minute, '59 min ago'],
    [now - 180 * minute, '3 h ago'],
    [now - 30 * 60 * minute, '1 day ago'],
    [now - 6 * 24 * 60 * minute, '6 days ago'],
    [Date.UTC(2026, 9, 2, 12), '2 Oct'],
    [Date.UTC(2024, 9, 2, 12), '2 Oct 2024'],
    [Number.NaN, 'unknown time'],
  ])('says of %d: %s', (at, text) => {
    expect(agoText(at, now)).toBe(text);
  });
});

describe('leftText', () => {
  it.each([
    [3, 'a few seconds left'],
    [44, 'about 40 s left'],
    [240, 'about 4 min left'],
    [7_200, 'about 2.0 h left'],
  ])('says of %d s: %s', (seconds, text) => {
    expect(leftText(seconds)).toBe(text);
  });
});
