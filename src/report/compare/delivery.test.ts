import { describe, expect, it } from 'vitest';
import type { Trace, TraceEventOf } from '../../domain/trace.ts';
import { Delivery } from './delivery.ts';

type Instructions = TraceEventOf<'instructions'>;

function traceWith(event: Partial<Instructions>): Trace {
  const calls = { with: 0, of: 4 };
  const usual = { type: 'instructions', at: 0, seenBy: 'gateway', guidance: 'v1', arrived: 'yes' } as const;
  return [{ ...usual, calls, files: [], foreign: [], ...event }];
}

function deliveryOf(...events: Partial<Instructions>[]): Delivery {
  const delivery = new Delivery();
  for (const [index, event] of events.entries()) delivery.add(`t-${index}`, traceWith(event));
  return delivery;
}

describe('the delivery of guidance', () => {
  it('has no problems where all of it arrived, and for trials that say nothing about it', () => {
    const delivery = deliveryOf({}, { guidance: null, arrived: 'no' });
    delivery.add('t-old', []);
    expect(delivery.problems).toEqual([]);
    expect(delivery.unknown).toBe(0);
  });

  it('names the guidance that did not arrive, in how many trials, and one of them', () => {
    expect(deliveryOf({}, { arrived: 'no' }, { arrived: 'no' }).problems).toEqual([
      'the guidance v1 did not reach the model in 2 of 3 trials, such as t-1',
    ]);
  });

  it('names instructions that came from outside the trial', () => {
    const foreign = [{ path: '/project/CLAUDE.md', text: 'Be brief.' }, { text: 'Be loud.' }];
    expect(deliveryOf({ foreign }).problems).toEqual([
      'instructions from outside the trial (/project/CLAUDE.md, "Be loud.") reached the model beside the guidance v1 in 1 of 1 trial, such as t-0',
    ]);
    expect(deliveryOf({ guidance: null, arrived: 'no', foreign }).problems).toHaveLength(1);
  });

  it('counts trials whose requests were not seen, which are not a problem', () => {
    const delivery = deliveryOf({ arrived: 'unknown' }, { arrived: 'unknown' }, {});
    expect(delivery.problems).toEqual([]);
    expect(delivery.unknown).toBe(2);
  });
});
