import { expect, it } from 'vitest';
import { readWithFlippedBytes } from '../../src/testing/support/flipped-bytes.ts';

it('a damaged store reports flipped bytes anywhere instead of giving wrong data', { timeout: 600_000 }, async () => {
  const { detected, unchanged, wrong } = await readWithFlippedBytes(97);
  expect(wrong).toEqual([]);
  expect(detected).toBeGreaterThan(0);
  expect(unchanged).toBeGreaterThan(0);
});
