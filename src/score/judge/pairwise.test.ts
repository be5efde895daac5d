import { describe, expect, it } from 'vitest';
import { AssayError } from '../../domain/errors.ts';
import type { ModelRequest } from '../../drive/models/model.ts';
import { answeringModel, fakeModel } from '../../testing/fakes/judge/fake-model.ts';
import { contextOf, message, sampleSubject } from '../../testing/fakes/judge/sample-subject.ts';
import { comparePair } from './pairwise.ts';

const good = sampleSubject();
const poor = sampleSubject({ trace: [message('assistant', 'I could not do it.')] });
const pair = { a: good, b: poor, aspects: ['Is the table booked?'] };

/** Finds the attempt with the booking and prefers it, wherever it is shown. */
function preferBooking({ messages }: ModelRequest): string {
  const isX = messages[0]?.content.includes('"event":"x-e3"') ?? false;
  const evidence = [{ event: isX ? 'x-e3' : 'y-e3', quote: 'BK-7731' }];
  return JSON.stringify({ reasoning: 'it is booked', evidence, better: isX ? 'X' : 'Y' });
}

function always(better: string, evidence: unknown = []): string {
  return JSON.stringify({ reasoning: 'so be it', evidence, better });
}

describe('comparePair', () => {
  it('believes a preference that both orders give', async () => {
    const result = await comparePair(pair, contextOf(answeringModel(preferBooking)));
    expect(result).toMatchObject({ winner: 'a', reason: 'it is booked', usage: { inputTokens: 200 } });
    expect(result.orders.map(({ order, preference }) => [order, preference])).toEqual([
      ['a-first', 'a'],
      ['b-first', 'a'],
    ]);
  });

  it('does not believe a judge that prefers a place', async () => {
    const first = answeringModel(({ messages }) => {
      const event = messages[0]?.content.includes('"event":"x-e3"') ? 'x-e3' : 'y-e3';
      return always('X', [{ event, quote: 'BK-7731' }]);
    });
    const result = await comparePair(pair, contextOf(first));
    expect(result.winner).toBe('undecided');
    expect(result.reason).toContain('depends on the order');
  });

  it('lets a tie stand without quotes, and nothing else', async () => {
    expect((await comparePair(pair, contextOf(fakeModel([always('tie')])))).winner).toBe('tie');
    expect((await comparePair(pair, contextOf(fakeModel([always('X')])))).winner).toBe('undecided');
    const madeUp = always('tie', [{ event: 'x-e1', quote: 'made up' }]);
    expect((await comparePair(pair, contextOf(fakeModel([madeUp])))).winner).toBe('undecided');
  });

  it('is undecided with a fault when the judge gives no readable answer', async () => {
    const unread = await comparePair(pair, contextOf(fakeModel(['nonsense'])));
    expect(unread).toMatchObject({ winner: 'undecided', orders: [{ fault: { code: 'JUDGE_UNREADABLE' } }, {}] });
    const down = await comparePair(pair, contextOf(fakeModel([new AssayError('MODEL_TIMEOUT', 'slow')])));
    expect(down).toMatchObject({ winner: 'undecided', reason: 'slow' });
  });

  it('does not ask about attempts whose gates failed', async () => {
    const model = fakeModel([always('X')]);
    const failed = sampleSubject({ failedGates: ['script: exit code 1'] });
    const winner = async (a = good, b = good) => (await comparePair({ a, b, aspects: [] }, contextOf(model))).winner;
    expect(await winner(failed, good)).toBe('b');
    expect(await winner(good, failed)).toBe('a');
    expect(await winner(failed, failed)).toBe('tie');
    expect(model.requests).toHaveLength(0);
  });
});
