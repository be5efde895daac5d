import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Scenario } from '../domain/scenario.ts';
import { Threads } from '../drive/targets/call/threads.ts';
import { defineTarget, type Target } from '../drive/targets/target.ts';
import { TargetPool } from './target-pool.ts';

const never = new AbortController();

/** A kind of target that keeps a diary of what is done with it. */
function diaryKind(open?: (signal: AbortSignal) => Promise<void>) {
  const diary: string[] = [];
  const kind = defineTarget({
    type: 'diary',
    summary: 'writes down what is done with it',
    callKey: 'diary',
    provides: [],
    configSchema: z.object({ name: z.string() }),
    async open({ name }, { signal }): Promise<Target> {
      diary.push(`open ${name}`);
      await open?.(signal);
      return { attempt: async () => undefined, [Symbol.asyncDispose]: async () => void diary.push(`close ${name}`) };
    },
  });
  return { diary, pool: new TargetPool(new Map([[kind.type, kind]]), { env: {}, threads: new Threads() }) };
}

function scenario(name: string, directory = '/'): Scenario {
  const target = { type: 'diary', config: { name } };
  return { target, directory } as Scenario;
}

describe('TargetPool', () => {
  it('opens a target once for all scenarios that mean the same, and closes it at the end', async () => {
    const { diary, pool } = diaryKind();
    pool.warm(scenario('a'));
    const leases = await Promise.all([pool.lease(scenario('a'), never), pool.lease(scenario('a'), never)]);
    expect(leases[0].target).toBe(leases[1].target);
    using elsewhere = await pool.lease(scenario('a', '/elsewhere'), never);
    expect(elsewhere.target).not.toBe(leases[0].target);
    await pool[Symbol.asyncDispose]();
    expect(diary).toEqual(['open a', 'open a', 'close a', 'close a']);
  });

  it('closes the targets that have been idle longest, and none that is in use', async () => {
    const { diary, pool } = diaryKind();
    using _inUse = await pool.lease(scenario('used'), never);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      using _lease = await pool.lease(scenario(name), never);
    }
    expect(diary.filter((line) => line.startsWith('close'))).toEqual(['close a', 'close b']);
    await pool[Symbol.asyncDispose]();
  });

  it('opens a target that cannot be opened only once, and gives every caller the reason', async () => {
    const { diary, pool } = diaryKind(async () => {
      throw new Error('not here');
    });
    for (const attempt of [1, 2]) {
      await expect(pool.lease(scenario('a'), never), `attempt ${attempt}`).rejects.toThrow('not here');
    }
    expect(diary).toEqual(['open a']);
    await pool[Symbol.asyncDispose]();
  });

  it('waits for a target no longer than it may, and closes one that opens too late', async () => {
    const { diary, pool } = diaryKind(
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    );
    const impatient = new AbortController();
    const lease = pool.lease(scenario('slow'), impatient);
    impatient.abort(new Error('too long'));
    await expect(lease).rejects.toThrow('too long');
    await pool[Symbol.asyncDispose]();
    await expect.poll(() => diary).toEqual(['open slow', 'close slow']);
  });
});
