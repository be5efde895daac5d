import { describe, expect, it } from 'vitest';
import { failureOf, question } from '../../testing/support/models.ts';
import { withDeadline } from './deadline.ts';
import type { ModelReply } from './model.ts';

const never = new AbortController().signal;

describe('withDeadline', () => {
  it('ends a call that does not listen to its signal', async () => {
    const deaf = { name: 'any/model', generate: () => new Promise<ModelReply>(() => undefined) };
    const failure = await failureOf(withDeadline(deaf, 5).generate(question('Hi'), never));
    expect(failure).toMatchObject({ code: 'MODEL_TIMEOUT', message: 'No answer from any/model within 5 ms.' });
  });

  it('passes the reason of its end to the work inside', async () => {
    let reason: unknown;
    const polite = {
      name: 'any/model',
      generate: (_: unknown, signal: AbortSignal) =>
        new Promise<ModelReply>(() => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
          });
        }),
    };
    const controller = new AbortController();
    const asking = withDeadline(polite, 60_000).generate(question('Hi'), controller.signal);
    controller.abort('the user has gone');
    expect(await failureOf(asking)).toMatchObject({ code: 'INTERRUPTED', cause: 'the user has gone' });
    expect(reason).toMatchObject({ code: 'INTERRUPTED' });
  });

  it('does not begin when it is too late', async () => {
    let isCalled = false;
    const model = {
      name: 'any/model',
      async generate(): Promise<ModelReply> {
        isCalled = true;
        throw new Error('called');
      },
    };
    const asking = withDeadline(model, 60_000).generate(question('Hi'), AbortSignal.abort());
    expect((await failureOf(asking)).code).toBe('INTERRUPTED');
    expect(isCalled).toBe(false);
  });
});
