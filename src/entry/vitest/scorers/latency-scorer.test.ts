import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testContext } from '../../../testing/fakes/vitest/test-context.ts';
import { LatencyScorer, type LatencyScorerOptions } from './latency-scorer.ts';

const context = testContext();
const second = { maxLatencyMs: 1_000 };

function scoreOf(output: unknown, options: LatencyScorerOptions = second, expected?: unknown, name?: string): number {
  return new LatencyScorer(options).score(output, expected, name === undefined ? context : testContext([], name));
}

describe('LatencyScorer', () => {
  it.each([
    [{ latency: 0 }, 1],
    [{ latency: 500 }, 1],
    [{ latency: 750 }, 0.65],
    [{ latency: 1_000 }, 0.3],
    [{ latency: 1_500 }, 0.2],
    [{ latency: 2_000 }, 0.1],
    [{ latency: 60_000 }, 0.1],
    [{ executionTime: 750 }, 0.65],
    [{ duration: 750 }, 0.65],
    [{ latency: 1_000, executionTime: 10, duration: 1 }, 0.3],
    [{ executionTime: 750, duration: 1 }, 0.65],
    [{ latency: Number.NaN }, 0.5],
    [{ latency: '10' }, 0.5],
    [{}, 0.5],
    ['text', 0.5],
    [undefined, 0.5],
  ])('scores %j with %d', (output, score) => {
    expect(scoreOf(output)).toBeCloseTo(score, 10);
  });

  it.each<[string, LatencyScorerOptions, unknown, number, number]>([
    ['its own', { maxLatencyMs: 1_000, penaltyThreshold: 800 }, { optimalLatency: 100 }, 900, 0.65],
    ['a threshold of zero', { maxLatencyMs: 1_000, penaltyThreshold: 0 }, undefined, 500, 0.65],
    ['that of the case', second, { optimalLatency: 800 }, 900, 0.65],
    ['the limit of the case', second, { maxLatency: 100 }, 75, 0.65],
    ['one above the limit', { maxLatencyMs: 100, penaltyThreshold: 500 }, undefined, 150, 0.2],
    ['a limit of zero', { maxLatencyMs: 0 }, undefined, 5, 0.1],
    ['a limit of zero that is met', { maxLatencyMs: 0 }, undefined, 0, 1],
  ])('takes the threshold: %s', (_name, options, expected, latency, score) => {
    expect(scoreOf({ latency }, options, expected)).toBeCloseTo(score, 10);
  });

  it.each(['Performance of add', 'must be FAST', 'speed'])(
    'gives a bonus to "%s" only when it is really fast',
    (name) => {
      const options = { maxLatencyMs: 1_000, penaltyThreshold: 100 };
      expect(scoreOf({ latency: 80 }, options, undefined, name)).toBe(1);
      expect(scoreOf({ latency: 550 }, options, undefined, name)).toBeCloseTo(0.65, 10);
    },
  );

  it('allows 50 ms for each call, up to a fifth of the limit, which can raise the score to 0.9', () => {
    const calls = (count: number) => Array.from({ length: count }, () => ({ name: 'add' }));
    const score = (latency: number, count: number) =>
      scoreOf({ latency, toolCalls: calls(count) }, { maxLatencyMs: 600 });
    expect(score(350, 1)).toBe(0.9);
    expect(score(351, 1)).toBeCloseTo(1 - (51 / 300) * 0.7, 10);
    expect(score(420, 20)).toBe(0.9);
    expect(score(421, 20)).toBeCloseTo(1 - (121 / 300) * 0.7, 10);
    expect(score(310, 1)).toBeCloseTo(1 - (10 / 300) * 0.7, 10);
  });

  it('never scores what took longer higher', () => {
    const options = fc.record({ maxLatencyMs: fc.nat(5_000), penaltyThreshold: fc.nat(5_000) });
    fc.assert(
      fc.property(options, fc.integer({ min: 1, max: 10_000 }), fc.nat(10_000), (limits, latency, more) => {
        const score = scoreOf({ latency }, limits);
        expect(score).toBeGreaterThanOrEqual(scoreOf({ latency: latency + more }, limits));
        expect(score).toBeLessThanOrEqual(1);
      }),
      { seed: 5 },
    );
  });

  it('explains', () => {
    const scorer = LatencyScorer(second);
    expect(scorer.explain({ latency: 1_200.04 }, undefined)).toBe(
      '1200 ms is too slow (good up to 500 ms, limit 1000 ms)',
    );
    expect(scorer.explain({}, undefined)).toBe('The output has no latency, executionTime, duration or responseTime');
  });
});
