import { describe, expect, it } from 'vitest';
import type { Scenario } from '../domain/scenario.ts';
import type { Trial } from '../domain/trial.ts';
import { PlanCursor, plan } from './plan.ts';

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

describe('the order of variants', () => {
  const scenario = {
    ...{ name: 's', file: 's.yaml', contentHash: 'h', repeat: 50 },
    variants: [{ model: 'a' }, { model: 'b' }, { model: 'c' }],
    async *cases() {
      for (const caseId of ['one', 'two']) yield { caseId, input: {}, expected: undefined, evaluators: [] };
    },
  } as unknown as Scenario;

  async function planned(runId: string): Promise<Trial[]> {
    const trials: Trial[] = [];
    for await (const trial of plan(runId, [scenario])) trials.push(trial);
    return trials;
  }

  it('is drawn for each repeat of a case, so none of them always comes first', async () => {
    const trials = await planned('r-1');
    const firsts = trials.filter((_, index) => index % 3 === 0).map(({ variant }) => variant.model);
    for (const model of ['a', 'b', 'c']) {
      const count = firsts.filter((first) => first === model).length;
      expect(count).toBeGreaterThan(20);
      expect(count).toBeLessThan(47);
    }
  });

  it('is the same whenever the run is planned, and another in another run', async () => {
    const order = async (runId: string) => (await planned(runId)).map(({ variant }) => variant.model).join('');
    expect(await order('r-1')).toBe(await order('r-1'));
    expect(await order('r-1')).not.toBe(await order('r-2'));
  });

  it('does not change places in reports, and each trial is found by its place', async () => {
    const trials = await planned('r-1');
    expect(trials.map(({ ordinal }) => ordinal).sort((a, b) => a - b)).toEqual(trials.map((_, index) => index));
    const inOrder = trials.toSorted((a, b) => a.ordinal - b.ordinal);
    expect(inOrder.slice(0, 3).map(({ variant }) => variant.model)).toEqual(['a', 'b', 'c']);
    const cursor = new PlanCursor(() => plan('r-1', [scenario]));
    for (const { ordinal, trialId } of [...inOrder, ...trials])
      expect((await cursor.find(ordinal, trialId)).trialId).toBe(trialId);
  });
});
