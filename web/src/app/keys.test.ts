import { describe, expect, it } from 'vitest';
import { createKeyReader } from './keys.ts';

describe('createKeyReader', () => {
  it('reads g and the key of a page as one', () => {
    const read = createKeyReader();
    expect(read('g', 0)).toBeNull();
    expect(read('r', 400)).toEqual({ kind: 'go', key: 'r' });
    expect(read('r', 500)).toBeNull();
  });

  it('forgets g after a while, and after a key that names no page', () => {
    const read = createKeyReader();
    read('g', 0);
    expect(read('r', 5_000)).toBeNull();
    read('g', 6_000);
    expect(read('?', 6_100)).toEqual({ kind: 'keys' });
    expect(read('r', 6_200)).toBeNull();
  });

  it('knows the keys that stand alone', () => {
    const read = createKeyReader();
    expect(read('/', 0)).toEqual({ kind: 'search' });
    expect(read('j', 0)).toEqual({ kind: 'first-row' });
    expect(read('x', 0)).toBeNull();
  });
});
