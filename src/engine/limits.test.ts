import { describe, expect, it } from 'vitest';
import { Deadlines } from './limits.ts';

/** Keeps the process alive while a deadline, which does not, is waited for. */
function expired(deadlines: Deadlines, timeoutMs: number): Promise<number> {
  const began = performance.now();
  const alive = setInterval(() => undefined, 1_000);
  return new Promise<number>((resolve) => {
    deadlines.set(timeoutMs, () => {
      clearInterval(alive);
      resolve(performance.now() - began);
    });
  });
}

describe('Deadlines', () => {
  it('expire in the order of their times, and never early', async () => {
    const deadlines = new Deadlines();
    const order: number[] = [];
    const timeouts = [60, 5, 30, 31, 1];
    const waited = await Promise.all(
      timeouts.map(async (timeoutMs) => {
        const ms = await expired(deadlines, timeoutMs);
        order.push(timeoutMs);
        return ms;
      }),
    );
    for (const [index, timeoutMs] of timeouts.entries()) expect(waited[index]).toBeGreaterThanOrEqual(timeoutMs);
    expect(order.at(-1)).toBe(60);
    expect(order.indexOf(5)).toBeLessThan(order.indexOf(30));
  });

  it('do not expire once they are taken back', async () => {
    const deadlines = new Deadlines();
    let isExpired = false;
    const takeBack = deadlines.set(5, () => {
      isExpired = true;
    });
    takeBack();
    await expired(deadlines, 30);
    expect(isExpired).toBe(false);
  });
});
