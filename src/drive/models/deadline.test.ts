import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import { failureOf, question } from '../../testing/support/models.ts';
import { type EndCall, withDeadline } from './deadline.ts';
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

  it('can be ended from outside as long as it lasts, with the work inside', async () => {
    let isAborted = false;
    const silent = {
      name: 'any/model',
      generate: (_: unknown, signal: AbortSignal) =>
        new Promise<ModelReply>(() => signal.addEventListener('abort', () => (isAborted = true))),
    };
    const underWay = new Set<EndCall>();
    const asking = withDeadline(silent, 60_000, underWay).generate(question('Hi'), never);
    expect(underWay.size).toBe(1);
    for (const end of underWay) end(new AssayError('INTERRUPTED', 'closed'));
    expect(await failureOf(asking)).toMatchObject({ code: 'INTERRUPTED', message: 'closed' });
    expect(isAborted).toBe(true);
    expect(underWay.size).toBe(0);
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
