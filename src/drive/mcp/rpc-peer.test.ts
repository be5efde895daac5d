import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IncomingHandlers } from './incoming.ts';
import { RpcPeer } from './rpc-peer.ts';
import { officialRules } from './schemas/message-rules.ts';

const limits = { timeoutMs: 20_000 };

function openPeer(): { peer: RpcPeer; incoming: IncomingHandlers; sent: Record<string, unknown>[] } {
  const sent: Record<string, unknown>[] = [];
  const incoming = new IncomingHandlers();
  const peer = new RpcPeer('sample', incoming, {
    send: (message) => sent.push({ ...message }),
    cancel: (requestId) => sent.push({ method: 'notifications/cancelled', params: { requestId } }),
  });
  peer.rules = officialRules;
  return { peer, incoming, sent };
}

/** Messages that look like some of the protocol: the right fields with any values. */
const nearlyMessages = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc
      .oneof(fc.integer({ min: 2, max: 9 }), fc.string(), fc.constant(null), fc.jsonValue())
      .filter((id) => Number(id) !== 1),
    method: fc.oneof(fc.constantFrom('ping', 'notifications/cancelled', 'initialize', '__proto__'), fc.jsonValue()),
    params: fc.jsonValue(),
    result: fc.jsonValue(),
    error: fc.oneof(fc.record({ code: fc.jsonValue(), message: fc.jsonValue() }), fc.jsonValue()),
  },
  { requiredKeys: [] },
);

describe('our side of the protocol', () => {
  it('takes whatever comes, and still gets its answer', async () => {
    const anything = fc.oneof(fc.jsonValue(), nearlyMessages, fc.array(nearlyMessages));
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { maxLength: 30 }), async (messages) => {
        const { peer } = openPeer();
        const asking = peer.request('tools/list', {}, limits);
        for (const message of messages) peer.receive(message);
        peer.receive({ jsonrpc: '2.0', id: 1, result: { tools: [] } });
        expect(await asking).toMatchObject({ kind: 'result', result: { tools: [] } });
        peer.end(new Error('over'));
      }),
      { seed: 5, numRuns: 300 },
    );
  });

  it('counts what it overlooks, and keeps the first of each kind only', () => {
    const { peer, incoming } = openPeer();
    for (let id = 10; id < 1_010; id++) peer.receive({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(1_000) } });
    const [text, ...others] = incoming.violations.texts();
    expect(text).toMatch(/^1000 answers to unknown requests, the first: \{.*"id":10,/);
    expect(text?.length).toBeLessThan(250);
    expect(others).toEqual([]);
  });

  it('refuses an answer with a result and an error, and batches', async () => {
    const { peer, incoming } = openPeer();
    const asking = peer.request('tools/list', {}, limits);
    peer.receive({ jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'no' } });
    await expect(asking).rejects.toThrow('refuse: `message`: Unrecognized key: "result".');
    const again = peer.request('tools/list', {}, limits);
    peer.receive([{ jsonrpc: '2.0', id: 2, result: { tools: [] } }]);
    await expect(again).rejects.toThrow('refuse: `message`: a batch of messages, which the protocol does not have.');
    expect(incoming.violations.texts()).toEqual(['1 batches of messages, the first: 1 of them']);
  });

  it('gives refused answers to a caller that takes them, with the reason', async () => {
    const { peer } = openPeer();
    peer.takesRefused = true;
    const asking = peer.request('tools/list', {}, limits);
    peer.receive({ jsonrpc: '1.0', id: 1, result: { tools: [] } });
    expect(await asking).toMatchObject({ kind: 'result', refusal: { path: 'message.jsonrpc' } });
  });

  it('takes an id as a text for the number that it is, and notes it', async () => {
    const { peer, incoming } = openPeer();
    const asking = peer.request('tools/list', {}, limits);
    peer.receive({ jsonrpc: '2.0', id: '1', result: { tools: [] } });
    expect(await asking).toMatchObject({ kind: 'result' });
    expect(incoming.violations.texts()).toEqual([expect.stringContaining('answers whose id is a text')]);
  });

  it('leaves out notifications that official clients refuse, and refuses such requests', async () => {
    const { peer, incoming, sent } = openPeer();
    const heard: unknown[] = [];
    incoming.onNotification('notifications/message', (params) => heard.push(params));
    incoming.onRequest('sampling/createMessage', async () => ({}));
    peer.receive({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'loud', data: 'x' } });
    peer.receive({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'y' } });
    peer.receive({ jsonrpc: '2.0', id: 's', method: 'sampling/createMessage', params: { messages: 'none' } });
    await Promise.resolve();
    expect(heard).toEqual([{ level: 'info', data: 'y' }]);
    expect(sent).toMatchObject([{ id: 's', error: { code: -32_602, message: expect.stringContaining('messages') } }]);
    expect(incoming.violations.texts()).toEqual([
      expect.stringMatching(
        /^2 messages that official clients refuse, the first: notifications\/message, `message.params.level`/,
      ),
    ]);
  });

  it('does not hold on to requests beyond a limit', async () => {
    const { peer, incoming, sent } = openPeer();
    incoming.onRequest('sampling/createMessage', () => new Promise(() => undefined));
    const params = { messages: [], maxTokens: 1 };
    for (let id = 0; id < 150; id++) peer.receive({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params });
    await Promise.resolve();
    expect(sent).toHaveLength(50);
    expect(sent[0]).toMatchObject({ id: 100, error: { code: -32_000 } });
  });

  it('stops to answer what the server cancels', async () => {
    const { peer, incoming, sent } = openPeer();
    const aborted = new Promise((resolve) => {
      incoming.onRequest('elicitation/create', (_request, signal) => {
        return new Promise((answer) => {
          signal.addEventListener('abort', () => {
            answer({ action: 'accept' });
            resolve(undefined);
          });
        });
      });
    });
    const params = { message: 'Which?', requestedSchema: { type: 'object', properties: {} } };
    peer.receive({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params });
    peer.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } });
    await aborted;
    await Promise.resolve();
    expect(sent).toEqual([]);
  });

  it('has a time limit for each request, whatever the order they are sent in', async () => {
    const { peer, sent } = openPeer();
    const timedOut: string[] = [];
    const ask = (method: string, timeoutMs: number): Promise<unknown> =>
      peer.request(method, {}, { timeoutMs }).catch(() => timedOut.push(method));
    await Promise.all([ask('third', 90), ask('first', 10), ask('second', 50)]);
    expect(timedOut).toEqual(['first', 'second', 'third']);
    expect(sent.filter(({ method }) => method === 'notifications/cancelled')).toHaveLength(3);
  });
});
