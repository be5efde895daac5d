import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './format.ts';

describe('parseDuration', () => {
  it.each([
    ['45s', 45_000],
    [' 3 m ', 180_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
    ['0s', 0],
    ['', undefined],
    ['30', undefined],
    ['-1d', undefined],
    ['1.5h', undefined],
    ['1 year', undefined],
  ])('reads "%s" as %s ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it('never gives anything but whole milliseconds or undefined', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('1', '9', 's', 'd', ' ', '-', '.', 'é') }), (text) => {
        const ms = parseDuration(text);
        expect(ms === undefined || (Number.isInteger(ms) && ms >= 0)).toBe(true);
      }),
      { seed: 7 },
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [411.6, '412 ms'],
    [999.7, '1.0 s'],
    [3_210, '3.2 s'],
    [59_990, '1 min 0 s'],
    [250_000, '4 min 10 s'],
    [3_599_900, '1 h 0 min'],
    [7_380_000, '2 h 3 min'],
  ])('writes %s ms as "%s"', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
