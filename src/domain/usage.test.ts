import { describe, expect, it } from 'vitest';
import { coverageOf } from '../testing/support/coverage-of.ts';
import { costsInTrace } from './costs.ts';
import { countedUsage } from './counted-usage.ts';
import type { TraceEvent } from './trace.ts';
import { gapsIn } from './trace-coverage/coverage.ts';

const usage = (seenBy: TraceEvent['seenBy'], inputTokens: number, more: object = {}): TraceEvent => ({
  type: 'usage',
  at: 0,
  seenBy,
  inputTokens,
  outputTokens: 1,
  costUsd: inputTokens / 1_000,
  ...more,
});
const persona = usage('engine', 7, { purpose: 'persona' });

describe('the usage of a trial', () => {
  it('is what the agent reported where no gateway was in between', () => {
    expect(countedUsage([usage('agent', 5), persona])).toEqual([usage('agent', 5), persona]);
  });

  it('is what the gateway saw where it saw any, and never both', () => {
    const trace = [usage('gateway', 3, { call: 1 }), usage('gateway', 4, { call: 2 }), usage('agent', 9), persona];
    expect(countedUsage(trace)).toEqual([trace[0], trace[1], persona]);
    expect(costsInTrace(trace)).toEqual({ targetUsd: 0.007, personaUsd: 0.007 });
  });

  it('is whole where the gateway saw it, whatever the report of the agent lost', () => {
    const lost: TraceEvent = {
      type: 'gap',
      at: 0,
      seenBy: 'agent',
      channels: ['answers', 'usage', 'cost'],
      reason: 'cut',
    };
    const observed = [usage('gateway', 3, { call: 1 }), lost];
    expect(costsInTrace(observed).targetUsd).toBe(0.003);
    expect(coverageOf(observed)).toMatchObject({ usage: { state: 'complete' }, cost: { state: 'complete' } });
    expect(gapsIn(observed, 'answers')).toHaveLength(1);
    const unseen = [usage('agent', 3), lost];
    expect(costsInTrace(unseen).targetUsd).toBeNull();
    expect(coverageOf(unseen)).toMatchObject({ usage: { state: 'partial' }, cost: { state: 'partial' } });
  });
});
