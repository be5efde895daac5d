import { describe, expect, it } from 'vitest';
import type { Fault } from '../../domain/tool-control/faults.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import { send, testedGateway } from '../../testing/fakes/gateway.ts';
import { startScriptedModel } from '../models/scripted/index.ts';
import { ModelFaults } from './model-faults.ts';

const key = 'sk-the-real-key-0123456789';
const api = 'anthropic-messages';

/** An agent whose first request is broken, and whose second one is answered. */
async function broken(fault: Fault) {
  const model = await startScriptedModel({ apiKey: key, rules: [{ reply: 'Done.', usage: { input: 12, output: 3 } }] });
  const gateway = await testedGateway();
  const placed = { fault: { call: 1, ...fault }, border: 'model', place: 'a.yaml:1:1' } as const;
  const actions: Parameters<EmitTrace>[0][] = [];
  const faults = new ModelFaults([placed], 'seed', (event) => actions.push(event));
  const session = gateway.open({ faults });
  const address = session.addRoute({ baseUrl: new URL(model.url), keys: [key] });
  const first = await send(address, api, true).catch((error: unknown) => error as Error);
  const text = first instanceof Error ? first : await first.text().catch((error: unknown) => error as Error);
  const second = await (await send(address, api, true)).text();
  await session.conclude();
  const requests = model.log().length;
  await model[Symbol.asyncDispose]();
  return { first, text, second, session, actions, requests };
}

describe('a fault of the model', () => {
  it.each([
    [{ fault: 'rate-limit', retryAfterSecs: 7 }, 429, '7', 'Rate limit exceeded. Retry after 7 s.'],
    [{ fault: 'error', status: 529, message: 'Overloaded' }, 529, null, 'Overloaded'],
    [{ fault: 'error' }, 500, null, 'Internal error'],
  ] as const)('answers in place of the provider: %j', async (fault, status, retryAfter, message) => {
    const { first, text, second, session, actions, requests } = await broken(fault);
    expect(first).toMatchObject({ status });
    expect((first as Response).headers.get('retry-after')).toBe(retryAfter);
    expect(text).toContain(message);
    expect(second).toContain('message_stop');
    expect(requests).toBe(1);
    expect(actions).toMatchObject([{ type: 'tool-control', border: 'model', kind: 'fault', fault: fault.fault }]);
    expect(session.of('model-call')).toMatchObject([{ status, answeredBy: 'fault' }, { status: 200 }]);
    expect(session.of('model-call')[1]).not.toHaveProperty('answeredBy');
  });

  it.each(['truncated', 'dropped'] as const)('breaks off, and the provider is not at fault: %s', async (fault) => {
    const { text, second, session, requests } = await broken({ fault });
    expect(text).toBeInstanceOf(Error);
    expect(second).toContain('message_stop');
    expect(requests).toBe(fault === 'dropped' ? 1 : 2);
    expect(session.of('model-call')[0]).toMatchObject({ answeredBy: 'fault', error: { message: expect.any(String) } });
  });

  it('leaves the reply empty', async () => {
    const { first, text } = await broken({ fault: 'empty' });
    expect([(first as Response).status, text]).toEqual([200, '']);
  });

  it('from which the agent does not recover is not one of the provider', async () => {
    const { session } = await broken({ fault: 'latency', ms: 1 });
    expect(session.session.outages.wasInjected).toBe(false);
    session.session.outages.note('HTTP 529', 529, true);
    expect(session.session.outages.wasInjected).toBe(true);
    expect(session.session.outages.fault(false)).toBeUndefined();
  });
});
