import { describe, expect, it } from 'vitest';
import { growthOf } from './growth.ts';

const points = (count: number, yOf: (x: number) => number) =>
  Array.from({ length: count }, (_, x) => ({ x, y: yOf(x) }));

describe('growth', () => {
  it('is the slope of the line, no surer than the resolution of the figures', () => {
    expect(
      growthOf(
        points(21, (x) => 5 + 3 * x),
        10,
      ),
    ).toEqual({ perStep: 3, low: 2.5, high: 3.5, points: 21 });
  });

  it('has an interval around zero for figures that go up and down', () => {
    const growth = growthOf(
      points(40, (x) => (x % 2) * 10),
      0.001,
    );
    expect(growth?.low).toBeLessThan(0);
    expect(growth?.high).toBeGreaterThan(0);
  });

  it('is less certain where neighbours are alike', () => {
    const widthOf = (yOf: (x: number) => number): number => {
      const { low = 0, high = 0 } = growthOf(points(60, yOf), 0) ?? {};
      return high - low;
    };
    const alternating = widthOf((x) => (x % 2 === 0 ? 1 : -1));
    expect(widthOf((x) => (Math.floor(x / 10) % 2 === 0 ? 1 : -1))).toBeGreaterThan(2 * alternating);
  });

  it.each([19, 0])('is unknown with %d points', (count) => {
    expect(
      growthOf(
        points(count, (x) => x),
        1,
      ),
    ).toBeUndefined();
  });

  it('is unknown where all points are at the same place', () => {
    expect(growthOf(Array(30).fill({ x: 1, y: 2 }), 1)).toBeUndefined();
  });
});
