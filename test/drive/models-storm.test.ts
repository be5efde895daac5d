import { describe, expect, it } from 'vitest';
import { type AssayError, asAssayError } from '../../src/domain/errors.ts';
import type { ModelReply } from '../../src/drive/models/model.ts';
import type { LoggedRequest, ScriptSource } from '../../src/drive/models/scripted/index.ts';
import { ask, keys, opened, question, scripted, skippingClock } from '../../src/testing/support/models.ts';
import { repetitions } from '../../src/testing/support/repetitions.ts';

const calls = repetitions({ usual: 300, inFull: 1_000 });
/** Long enough for every reply on a busy machine; only a stalled request waits for it. */
const timeoutSecs = 8;

/** Six kinds of faults that together befall three requests in ten; each draws anew when the ones before it spared. */
const kinds: readonly NonNullable<ScriptSource['rules'][number]['fault']>[] = [
  { status: 429 },
  { status: 429, retryAfter: 2 },
  { status: 500 },
  'reset',
  'junk',
  'stall',
];
const shares = [0.06, 0.06, 0.06, 0.06, 0.05, 0.01];

function stormRules(): ScriptSource['rules'] {
  let spared = 1;
  return kinds.map((fault, index) => {
    const share = shares[index] ?? 0;
    const probability = share / spared;
    spared -= share;
    return { fault, probability, seed: index + 1 };
  });
}

async function askMany(script: ScriptSource, concurrency: number) {
  const server = await scripted(script);
  const config = { providers: { openai: { timeoutSecs, concurrency } } };
  const models = opened({ config, env: { ...server.environment, ...keys }, clock: skippingClock() });
  await models.find('gpt-4o');
  const ends: (ModelReply | AssayError)[] = [];
  let next = 0;
  const askUntilDone = async (): Promise<void> => {
    while (next < calls) {
      ends.push(await ask(models, 'gpt-4o', question(`question ${next++}`)).catch(asAssayError));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, askUntilDone));
  const codes = ends.flatMap((end) => ('code' in end ? [end.code] : []));
  const log = server.log();
  return { codes, replies: ends.length - codes.length, requests: log.length, askedAfterStall: askedAfterStall(log) };
}

/** Questions that were asked again although the time of their call was over. */
function askedAfterStall(log: readonly LoggedRequest[]): string[] {
  const stalled = new Set<string>();
  const again: string[] = [];
  for (const { conversation, fault } of log) {
    const asked = conversation?.last ?? '';
    if (stalled.has(asked)) again.push(asked);
    if (fault === 'stall') stalled.add(asked);
  }
  return again;
}

describe('a storm at the provider', () => {
  it('of three faults in ten ends every call in time, by a reply or a known code, with few calls more', async () => {
    const storm = await askMany({ rules: [...stormRules(), { reply: 'ok' }] }, 24);
    expect(storm.replies + storm.codes.length).toBe(calls);
    const known = ['MODEL_RATE_LIMITED', 'MODEL_UNAVAILABLE', 'MODEL_TIMEOUT', 'MODEL_BAD_REPLY'];
    expect(storm.codes.filter((code) => !known.includes(code))).toEqual([]);
    expect(storm.codes).toContain('MODEL_TIMEOUT');
    expect(storm.askedAfterStall).toEqual([]);
    expect(storm.requests).toBeLessThanOrEqual(1.5 * calls);
    expect(storm.replies).toBeGreaterThan(0.95 * calls);
  });

  it('that never ends is not fed with more calls', async () => {
    const storm = await askMany({ rules: [{ fault: { status: 500 } }] }, 24);
    expect(new Set(storm.codes)).toEqual(new Set(['MODEL_UNAVAILABLE']));
    expect(storm.requests).toBeLessThan(0.2 * calls);
  });

  it('of limits that never ends stays within one and a half times the calls', async () => {
    const storm = await askMany({ rules: [{ fault: { status: 429 } }] }, 24);
    expect(new Set(storm.codes)).toEqual(new Set(['MODEL_RATE_LIMITED']));
    expect(storm.requests).toBeGreaterThan(calls);
    expect(storm.requests).toBeLessThanOrEqual(1.5 * calls);
  });

  it.each([
    ['a wrong key', { status: 401 }, 'MODEL_UNAUTHORIZED'],
    [
      'an empty account',
      { status: 429, body: { error: { code: 'insufficient_quota', message: 'empty' } } },
      'MODEL_QUOTA',
    ],
  ])('of %s is asked once for each call', async (_, fault, code) => {
    const storm = await askMany({ rules: [{ fault }] }, 24);
    expect(new Set(storm.codes)).toEqual(new Set([code]));
    expect(storm.requests).toBe(calls);
  });
});
