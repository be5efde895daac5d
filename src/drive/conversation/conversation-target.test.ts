import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { asAssayError } from '../../domain/errors.ts';
import type { Trial } from '../../domain/trial.ts';
import { configOf, connectorTo, linesOf, talk } from '../../testing/fakes/conversation/talk.ts';
import type { ConnectorKind } from '../connectors/connector.ts';
import { Threads } from '../targets/call/threads.ts';
import { StampedTrace } from '../targets/stamped-trace.ts';
import { conversationTargetWith } from './conversation-target.ts';

const { kind } = connectorTo(() => 'ok');

describe('what is known before anything runs', () => {
  const target = conversationTargetWith([kind]);
  const check = (connectors: unknown) => target.check?.(target.configSchema.parse({ connectors }), { directory: '/' });

  it('a good config has no issues', () => {
    expect(check({ agent: { type: 'function', config: { depth: 2 } } })).toEqual([]);
  });

  it.each([
    ['functoin', 'Unknown connector type: "functoin". Did you mean `function`?'],
    ['grpc', 'Unknown connector type: "grpc". Known: `function`.'],
  ])('a kind that does not exist: %s', (type, message) => {
    expect(check({ agent: { type } })).toEqual([{ path: ['connectors', 'agent', 'type'], message }]);
  });

  it('a config that its kind refuses', () => {
    const issues = check({ agent: { type: 'function', config: { depth: 'deep' } } });
    expect(issues).toMatchObject([{ path: ['connectors', 'agent', 'config', 'depth'] }]);
  });

  it('what its kind finds out by looking closer', () => {
    const picky = { ...kind, check: () => [{ path: ['file'], message: 'there is no such file' }] };
    const config = configOf({});
    expect(conversationTargetWith([picky]).check?.(config, { directory: '/' })).toEqual([
      { path: ['connectors', 'agent', 'config', 'file'], message: 'there is no such file' },
    ]);
  });
});

describe('connectors', () => {
  const userMessages = ['hi'];
  const two = {
    ...configOf({ userMessages }),
    connectors: {
      good: { type: 'function', headers: { authorization: 'Bearer ${KEY}' }, baseUrl: '${HOST}/api' },
      bad: { type: 'function', headers: { authorization: '${MISSING}' } },
    },
  };
  const env = { KEY: 'k', HOST: 'http://h' };

  it('one is opened with its variables expanded, and one that cannot be opened affects no other', async () => {
    const good = await talk(() => 'ok', two, { variant: { connector: 'good' }, context: { env } });
    expect(good.error).toBeUndefined();
    expect(good.opened).toEqual([{ baseUrl: 'http://h/api', headers: { authorization: 'Bearer k' } }]);
    const bad = await talk(() => 'ok', two, { variant: { connector: 'bad' }, context: { env } });
    expect(bad.error).toMatchObject({
      code: 'TARGET_NOT_LOADED',
      blame: 'user',
      hint: expect.stringContaining('MISSING'),
    });
  });

  it('the time in which one is opened is not that of the trial', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow: ConnectorKind = {
      ...kind,
      async open(...settings) {
        vi.advanceTimersByTime(2_000);
        await Promise.resolve();
        vi.advanceTimersByTime(3_000);
        return kind.open(...settings);
      },
    };
    const { signal } = new AbortController();
    const context = { directory: '/', env, threads: new Threads(), signal };
    await using target = await conversationTargetWith([slow]).open(two, context);
    const trace = new StampedTrace();
    const stop = { isStopped: false, signal, onStop: () => undefined };
    const turns = { afterTurn: async () => 'stop' as const };
    const trial = { trialId: 't', variant: { connector: 'good' }, repeat: 1, case: { input: {} }, scenario: {} };
    await target.attempt(trial as unknown as Trial, trace, stop, turns);
    expect([trace.elapsedMs, trace.limitedMs]).toEqual([0, 5_000]);
  });

  it.each([
    [{ connector: 'other' }, 'There is no connector "other".'],
    [{ connector: 'toString' }, 'There is no connector "toString".'],
    [{}, 'This conversation names no connector.'],
    [{ connector: 'good', persona: 'ann' }, 'There is no persona "ann".'],
  ])('%j', async (variant, message) => {
    const { error } = await talk(() => 'ok', two, { variant, context: { env } });
    expect(error).toMatchObject({ code: 'TARGET_NOT_LOADED', message });
  });

  it.each([
    [{ type: 'grpc', headers: {} }, 'Unknown connector type: "grpc". Known: `function`.'],
    [{ type: 'function', headers: {}, config: { depth: 'x' } }, 'Invalid config of the connector "agent": depth: '],
  ])('a config that was not checked before: %j', async (agent, message) => {
    const { error } = await talk(() => 'ok', { ...two, connectors: { agent } });
    expect(error?.code).toBe('TARGET_NOT_LOADED');
    expect(error?.message).toContain(message);
  });

  it('is opened once for all conversations, and closed with the target', async () => {
    const connector = connectorTo(() => 'ok');
    const context = { directory: '/', env: {}, threads: new Threads(), signal: new AbortController().signal };
    const target = await conversationTargetWith([connector.kind]).open(configOf({ userMessages }), context);
    const stop = { isStopped: false, signal: context.signal, onStop: () => undefined };
    const turns = { afterTurn: async () => 'stop' as const };
    const trials = ['a', 'b', 'c'].map(
      (trialId) => ({ trialId, variant: {}, repeat: 1, case: { input: {} }, scenario: {} }) as never,
    );
    await Promise.all(trials.map((trial) => target.attempt(trial, new StampedTrace(), stop, turns)));
    expect(connector.opened).toHaveLength(1);
    expect(connector.requests.map(({ conversationId }) => conversationId).sort()).toEqual(['a', 'b', 'c']);
    expect(connector.closedCount()).toBe(0);
    await target[Symbol.asyncDispose]();
    expect(connector.closedCount()).toBe(1);
  });

  it('one that gets ready after its target was closed is closed at once', async () => {
    const connector = connectorTo(() => 'ok');
    let open: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const late: typeof kind = {
      ...connector.kind,
      open: async (...given) => {
        await gate;
        return connector.kind.open(...given);
      },
    };
    const context = { directory: '/', env: {}, threads: new Threads(), signal: new AbortController().signal };
    const target = await conversationTargetWith([late]).open(configOf({ userMessages }), context);
    await target[Symbol.asyncDispose]();
    expect(connector.closedCount()).toBe(0);
    open?.();
    await expect.poll(() => connector.closedCount()).toBe(1);
  });

  it('one that never gets ready is given up when the trial should stop', async () => {
    const never = { ...kind, open: () => new Promise<never>(() => undefined) };
    const context = { directory: '/', env: {}, threads: new Threads(), signal: new AbortController().signal };
    const target = await conversationTargetWith([never]).open(configOf({ userMessages }), context);
    const signal = AbortSignal.abort(new Error('time is up'));
    const stop = { isStopped: true, signal, onStop: () => undefined };
    const trial = { trialId: 'a', variant: {}, repeat: 1, case: { input: {} }, scenario: {} } as never;
    const attempt = target.attempt(trial, new StampedTrace(), stop, { afterTurn: async () => 'stop' });
    const error = await attempt.then(() => undefined, asAssayError);
    expect(error?.message).toBe('time is up');
    await target[Symbol.asyncDispose]();
  });
});

describe('the input of a case', () => {
  it('fills in what is said', async () => {
    const config = configOf({
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Hello {{ name }}' }] }],
      userMessages: ['{{count}} for {{name}}, {{unknown}} and {{__proto__}}'],
    });
    const { trace } = await talk(() => 'ok', config, { input: { name: '{{count}}', count: 2 } });
    expect(linesOf(trace)).toEqual([
      'assistant: Hello {{count}}',
      'user: 2 for {{count}}, {{unknown}} and {{__proto__}}',
      'assistant: ok',
    ]);
  });
});
