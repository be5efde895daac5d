import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { pause, TimeLimit } from './async.ts';

// Node shows `gc` only in contexts that are made after the flag was set.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('a pause ends at once when its signal was aborted before', async () => {
  await pause(600_000, AbortSignal.abort());
});

describe('a time limit', () => {
  it('is kept, also when garbage was collected while its signal had no listener', async () => {
    using limit = new TimeLimit(200, new AbortController().signal);
    for (let times = 0; times < 3; times++) {
      await pause(10, limit.signal);
      collectGarbage();
    }
    await expect.poll(() => limit.signal.aborted).toBe(true);
    expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('ends early with the other signal, for its reason', () => {
    const other = new AbortController();
    using limit = new TimeLimit(60_000, other.signal);
    expect(limit.signal.aborted).toBe(false);
    other.abort('enough');
    expect([limit.signal.aborted, limit.signal.reason]).toEqual([true, 'enough']);
    using late = new TimeLimit(60_000, other.signal);
    expect(late.signal.aborted).toBe(true);
  });

  it('is one of many at a time without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const other = new AbortController();
    const limits = Array.from({ length: 40 }, () => new TimeLimit(60_000, other.signal));
    await pause(1, other.signal);
    for (const limit of limits) limit[Symbol.dispose]();
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('leaves nothing behind', () => {
    const other = new AbortController();
    const limit = new TimeLimit(60_000, other.signal);
    limit[Symbol.dispose]();
    other.abort();
    expect(limit.signal.aborted).toBe(false);
  });
});
