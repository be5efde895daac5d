import { Client, ReadBuffer, type Transport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { type OddMessage, oddMessages, sampleOf } from '../../../testing/support/odd-messages.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { LegacyDialect } from '../dialects/legacy-dialect.ts';
import { ModernDialect } from '../dialects/modern-dialect.ts';
import { IncomingHandlers } from '../incoming.ts';
import { RpcPeer } from '../rpc-peer.ts';
import type { Era } from '../session.ts';
import { parseReceived } from '../wire/parse-message.ts';
import { officialRules, resultSchemas } from './message-rules.ts';

type Message = Readonly<Record<string, unknown>>;

/** A client that is connected; gives whether it takes the answer to a request. */
type Reader = (method: string, answer: string) => Promise<boolean>;

const discovered = { supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0, cacheScope: 'private' as const };
const greeting = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } };

/** Stands for the id of the request in an answer. */
const idMark = 20_260_728;

/** A transport of one line at a time, read as the official transports read it. */
class LineTransport implements Transport {
  onmessage: Transport['onmessage'];
  onerror: Transport['onerror'];
  onclose: Transport['onclose'];
  answer: (message: Message) => string = ({ id }) => JSON.stringify({ jsonrpc: '2.0', id, result: greeting });

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  async send(message: Message): Promise<void> {
    if (message.id === undefined || message.method === undefined) return;
    const lines = new ReadBuffer();
    lines.append(Buffer.from(`${this.answer(message)}\n`));
    try {
      const answer = lines.readMessage();
      if (answer) this.onmessage?.(answer);
      else this.onerror?.(new Error('not a message'));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }
}

async function officialReader(era: Era): Promise<Reader> {
  const transport = new LineTransport();
  const client = new Client({ name: 'test', version: '1' });
  const prior = era === 'modern' ? { kind: 'modern' as const, discover: discovered } : { kind: 'legacy' as const };
  await client.connect(transport, { prior });
  return async (method, answer) => {
    transport.answer = ({ id }) => answer.replaceAll(String(idMark), String(id));
    const abort = new AbortController();
    const taken = client.request({ method, params: {} } as never, { signal: abort.signal }).then(
      () => true,
      () => false,
    );
    const isTaken = await Promise.race([taken, nextTurn()]);
    abort.abort();
    return isTaken;
  };
}

/** Readers decide at once; one that has not decided when all else is done waits for another answer. */
function nextTurn(): Promise<boolean> {
  return new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(false))));
}

function ourReader(era: Era): Reader {
  const incoming = new IncomingHandlers();
  let id = 0;
  const peer: RpcPeer = new RpcPeer('s', incoming, {
    send: (message) => {
      id = Number(message.id);
    },
    cancel: () => undefined,
  });
  peer.rules = officialRules;
  // The answers are not those that begin a session.
  peer.answersRequests = era === 'legacy';
  const line = {
    label: 's',
    transport: 'stdio' as const,
    peer,
    rules: officialRules,
    incoming,
    notify: () => undefined,
    useProtocolVersion: () => undefined,
  };
  const dialect: Dialect = era === 'legacy' ? new LegacyDialect(line) : new ModernDialect(line);
  return async (method, answer) => {
    const abort = new AbortController();
    const taken = dialect.request(method, {}, { timeoutMs: 60_000, signal: abort.signal }).then(
      () => true,
      () => false,
    );
    await Promise.resolve();
    peer.receive(parseReceived(answer.replaceAll(String(idMark), String(id))));
    const isTaken = await Promise.race([taken, nextTurn()]);
    abort.abort();
    return isTaken;
  };
}

const mostAnswers = repetitions({ usual: 20, inFull: 10_000 });

/** As many of a list as are wanted, from all of its parts. */
function spread<Item>(items: readonly Item[], most: number): Item[] {
  const step = Math.max(1, items.length / most);
  return Array.from({ length: Math.min(most, items.length) }, (_, index) => items[Math.floor(index * step)] as Item);
}

function* answersTo(era: Era, method: string): Generator<OddMessage> {
  const schema = resultSchemas[era][method];
  const result = {
    ...(schema ? (sampleOf(schema) as object) : {}),
    ...(era === 'modern' && { resultType: 'complete' }),
  };
  const answer = { jsonrpc: '2.0', id: idMark, result };
  yield { change: 'as it should be', message: answer };
  yield* oddMessages(answer);
}

const cases = (['legacy', 'modern'] as const).flatMap((era) =>
  Object.keys(resultSchemas[era])
    .filter((method) => method !== 'tasks/result')
    .map((method) => ({ era, method })),
);

describe('the official client and Assay', () => {
  it.each(cases)('take and refuse the same answers to $method of the $era protocol', async ({ era, method }) => {
    const [official, ours] = [await officialReader(era), ourReader(era)];
    const differences: string[] = [];
    let count = 0;
    for (const { change, message } of spread([...answersTo(era, method)], mostAnswers)) {
      const text = JSON.stringify(message);
      const [theirs, own] = [await official(method, text), await ours(method, text)];
      count++;
      if (theirs !== own) differences.push(`${change}: the official client ${theirs ? 'takes' : 'refuses'} it`);
    }
    expect(count).toBeGreaterThanOrEqual(20);
    expect(differences).toEqual([]);
  });
});
