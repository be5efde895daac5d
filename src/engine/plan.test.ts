import { describe, expect, it } from 'vitest';
import type { Trial } from '../domain/trial.ts';
import { PlanCursor } from './plan.ts';

function planOf(count: number): { readonly plan: () => AsyncGenerator<Trial, void>; begun(): number; made(): number } {
  let begun = 0;
  let made = 0;
  async function* plan(): AsyncGenerator<Trial, void> {
    begun++;
    for (let ordinal = 0; ordinal < count; ordinal++) {
      made++;
      yield { trialId: `t-${ordinal}`, ordinal } as Trial;
    }
  }
  return { plan, begun: () => begun, made: () => made };
}

describe('PlanCursor', () => {
  it('reads the plan once for trials that are requested in order', async () => {
    const { plan, begun, made } = planOf(100);
    const cursor = new PlanCursor(plan);

    const found = await Promise.all([3, 10, 4, 99].map((ordinal) => cursor.find(ordinal, `t-${ordinal}`)));

    expect(found.map(({ ordinal }) => ordinal)).toEqual([3, 10, 4, 99]);
    expect(begun()).toBe(1);
    expect(made()).toBe(100);
  });

  it('starts over when a trial lies far behind', async () => {
    const { plan, begun } = planOf(5_000);
    const cursor = new PlanCursor(plan);
    await cursor.find(4_999, 't-4999');

    expect((await cursor.find(0, 't-0')).ordinal).toBe(0);
    expect((await cursor.find(4_999, 't-4999')).ordinal).toBe(4_999);
    expect(begun()).toBe(2);
  });

  it.each([
    [3, 't-4', 'has t-3 at place 3, where t-4 is expected'],
    [10, 't-10', 'has no trial at place 10, where t-10 is expected'],
  ])('refuses another plan: place %i, id %s', async (ordinal, trialId, message) => {
    const cursor = new PlanCursor(planOf(10).plan);

    await expect(cursor.find(ordinal, trialId)).rejects.toThrow(message);
    expect((await cursor.find(2, 't-2')).ordinal).toBe(2);
  });
});
