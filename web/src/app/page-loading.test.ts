import { describe, expect, it, vi } from 'vitest';
import { arriving } from './page-loading.ts';

describe('a page that arrives', () => {
  it('waits for all that comes at once, also where it fails', async () => {
    const loaded: string[] = [];
    const good = Promise.resolve().then(() => loaded.push('good'));
    const bad = Promise.reject(new Error('no')).finally(() => loaded.push('bad'));
    await arriving('enter', good, bad);
    expect(loaded.sort()).toEqual(['bad', 'good']);
  });

  it('waits for nothing that takes long', async () => {
    vi.useFakeTimers();
    try {
      let isOver = false;
      const waiting = arriving('enter', new Promise(() => undefined)).then(() => {
        isOver = true;
      });
      await vi.advanceTimersByTimeAsync(399);
      expect(isOver).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      await waiting;
      expect(isOver).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('holds up no page that is open already', async () => {
    await expect(arriving('stay', new Promise(() => undefined))).resolves.toBeUndefined();
  });
});
