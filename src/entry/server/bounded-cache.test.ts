import { describe, expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

describe('BoundedCache', () => {
  it('computes a value once for concurrent callers, and drops the least recently used', async () => {
    const cache = new BoundedCache<number>(2);
    const made: string[] = [];
    const get = (key: string) =>
      cache.get(key, async () => {
        made.push(key);
        return key.length;
      });
    await Promise.all([get('a'), get('a')]);
    await get('bb');
    await get('a');
    await get('ccc');
    expect(await Promise.all([get('a'), get('ccc'), get('bb')])).toEqual([1, 3, 2]);
    expect(made).toEqual(['a', 'bb', 'ccc', 'bb']);
  });

  it('keeps no more than a weight, even of one value', async () => {
    const cache = new BoundedCache<string>(10, (value) => value.length);
    let made = 0;
    const get = (key: string, length: number) =>
      cache.get(key, async () => {
        made += 1;
        return 'x'.repeat(length);
      });
    await get('small', 4);
    await get('huge', 50);
    await get('huge', 50);
    await get('small', 4);
    expect(made).toBe(4);
  });

  it('keeps no failure', async () => {
    const cache = new BoundedCache<number>(2);
    await expect(cache.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await cache.get('a', async () => 1)).toBe(1);
  });

  it('aborts a computation when the last who waits for it has gone', async () => {
    const cache = new BoundedCache<number>(2);
    const signals: AbortSignal[] = [];
    const never = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<number>(() => undefined);
    };
    const [one, two] = [new AbortController(), new AbortController()];
    const waiting = [cache.get('a', never, one.signal), cache.get('a', never, two.signal)];
    one.abort(new Error('gone'));
    await expect(waiting[0]).rejects.toThrow('gone');
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    two.abort(new Error('gone too'));
    await expect(waiting[1]).rejects.toThrow('gone too');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await cache.get('a', async () => 3)).toBe(3);
    await expect(cache.get('a', never, one.signal)).rejects.toThrow('gone');
  });
});
