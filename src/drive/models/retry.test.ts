import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { failureOf, question, skippingClock } from '../../testing/support/models.ts';
import { type FailureTraits, ModelFailure } from './model.ts';
import { RetryBudget, withRetries } from './retry.ts';

const never = new AbortController().signal;

function retrying(traits: Partial<FailureTraits>, budget = new RetryBudget(), random = () => 1) {
  const clock = skippingClock();
  let attempts = 0;
  const model = withRetries(
    {
      name: 'any/model',
      async generate() {
        attempts += 1;
        throw new ModelFailure('MODEL_UNAVAILABLE', 'down', {
          retry: 'always',
          isProvidersFault: true,
          mayBeBilled: false,
          ...traits,
        });
      },
    },
    { budget, clock, random },
  );
  return { clock, fail: () => failureOf(model.generate(question('Hi'), never)), attempts: () => attempts };
}

describe('withRetries', () => {
  it('tries four times, with pauses that double', async () => {
    const { clock, fail, attempts } = retrying({});
    expect((await fail()).code).toBe('MODEL_UNAVAILABLE');
    expect(attempts()).toBe(4);
    expect(clock.waitedMs).toEqual([500, 1_000, 2_000]);
  });

  it('pauses for that or a random part less, down to half', async () => {
    const { clock, fail } = retrying({}, new RetryBudget(), () => 0.1);
    await fail();
    expect(clock.waitedMs).toEqual([275, 550, 1_100]);
  });

  it('tries once more, or not again, where that is all that makes sense', async () => {
    const once = retrying({ retry: 'once' });
    await once.fail();
    const not = retrying({ retry: 'never' });
    await not.fail();
    expect([once.attempts(), not.attempts()]).toEqual([2, 1]);
  });

  it('tries once more after junk, whatever failed before', async () => {
    const kinds: FailureTraits['retry'][] = ['always', 'once', 'once', 'always'];
    let attempts = 0;
    const generate = async (): Promise<never> => {
      const retry = kinds[attempts++] ?? 'never';
      throw new ModelFailure('MODEL_BAD_REPLY', retry, { retry, isProvidersFault: true, mayBeBilled: true });
    };
    const rules = { budget: new RetryBudget(), clock: skippingClock(), random: () => 1 };
    await failureOf(withRetries({ name: 'any/model', generate }, rules).generate(question('Hi'), never));
    expect(attempts).toBe(3);
  });

  it('passes on errors that are not failures of a model', async () => {
    const inner = {
      name: 'any/model',
      generate: () => Promise.reject(new AssayError('MODEL_BUDGET_REACHED', 'spent')),
    };
    const clock = skippingClock();
    const model = withRetries(inner, { budget: new RetryBudget(), clock, random: () => 1 });
    expect((await failureOf(model.generate(question('Hi'), never))).code).toBe('MODEL_BUDGET_REACHED');
    expect(clock.waitedMs).toEqual([]);
  });

  it('shares a budget: from 200 calls on, no more than three requests for two calls', async () => {
    const { fail, attempts } = retrying({});
    for (let call = 0; call < 200; call++) await fail();
    expect(attempts()).toBeGreaterThan(250);
    expect(attempts()).toBeLessThanOrEqual(300);
  });

  it('does not save up more than 50 tries in good times', () => {
    const budget = new RetryBudget();
    for (let call = 0; call < 10_000; call++) budget.earn();
    const taken = Array.from({ length: 100 }, () => budget.take());
    expect(taken.filter(Boolean)).toHaveLength(50);
  });
});
