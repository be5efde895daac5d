import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { limitedTo, pause } from './async.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a signal with a limit', () => {
  it('is aborted after its time, also when garbage was collected while it had no listener', async () => {
    const limited = limitedTo(200, new AbortController().signal);
    for (let times = 0; times < 3; times++) {
      await pause(10, limited);
      collectGarbage();
    }
    await expect.poll(() => limited.aborted).toBe(true);
    expect(limited.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('is aborted with the other one, for its reason', () => {
    const other = new AbortController();
    const limited = limitedTo(60_000, other.signal);
    expect(limited.aborted).toBe(false);
    other.abort('enough');
    expect([limited.aborted, limited.reason]).toEqual([true, 'enough']);
    expect(limitedTo(60_000, other.signal).aborted).toBe(true);
  });
});
