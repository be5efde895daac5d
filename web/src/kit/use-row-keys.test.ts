import { describe, expect, it } from 'vitest';
import { rowAfterKey } from './use-row-keys.ts';

describe('rowAfterKey', () => {
  it('moves within the list', () => {
    expect(rowAfterKey('j', 0, 3)).toBe(1);
    expect(rowAfterKey('ArrowUp', 2, 3)).toBe(1);
    expect(rowAfterKey('End', 0, 3)).toBe(2);
    expect(rowAfterKey('Home', 2, 3)).toBe(0);
    expect(rowAfterKey('PageDown', 0, 100)).toBe(10);
  });

  it('stays at the ends', () => {
    expect(rowAfterKey('j', 2, 3)).toBe(2);
    expect(rowAfterKey('k', 0, 3)).toBe(0);
    expect(rowAfterKey('PageDown', 95, 100)).toBe(99);
  });

  it('leaves other keys alone', () => {
    expect(rowAfterKey('x', 0, 3)).toBeNull();
    expect(rowAfterKey('j', 0, 0)).toBeNull();
  });
});
