import { isRecord } from '../../../shared/json.ts';
import type { EvalScorer, MCPTestContext } from '../eval-types.ts';
import { calledTools, outputLatencyMs } from '../output.ts';
import { callableScorer, withinUnit } from './scorer.ts';

export interface LatencyScorerOptions {
  /** Zero is a limit like any other. `expected.maxLatency` of a case goes before it. */
  readonly maxLatencyMs: number;
  /** From here on the score falls; without it `expected.optimalLatency` of the case, or half of the limit. */
  readonly penaltyThreshold?: number;
}

interface Limits {
  readonly maxMs: number;
  readonly goodMs: number;
}

/** The time that one call of a tool may take without lowering the score. */
const allowanceForCallMs = 50;

class Latency implements EvalScorer {
  readonly name: string = 'Latency Evaluation';
  readonly #options: LatencyScorerOptions;

  constructor(options: LatencyScorerOptions) {
    this.#options = options;
  }

  score(output: unknown, expected: unknown, context: MCPTestContext): number {
    const latencyMs = outputLatencyMs(output);
    if (latencyMs === undefined) return 0.5;
    if (latencyMs === 0) return 1;
    const limits = this.#limitsFor(expected);
    const isBonusDue = asksForSpeed(context.testCase.name) && latencyMs <= 0.8 * limits.goodMs;
    const score = scoreWithin(latencyMs, limits) + (isBonusDue ? 0.1 : 0);
    const allowanceMs = Math.min(allowanceForCallMs * calledTools(output).length, 0.2 * limits.maxMs);
    const isExcused = allowanceMs > 0 && latencyMs - allowanceMs <= limits.goodMs;
    return withinUnit(isExcused ? Math.max(score, 0.9) : score);
  }

  explain(output: unknown, expected: unknown): string {
    const latencyMs = outputLatencyMs(output);
    if (latencyMs === undefined) return 'The output has no latency, executionTime, duration or responseTime';
    const { maxMs, goodMs } = this.#limitsFor(expected);
    const word = latencyMs <= goodMs ? 'good' : latencyMs <= maxMs ? 'within the limit' : 'too slow';
    return `${rounded(latencyMs)} ms is ${word} (good up to ${rounded(goodMs)} ms, limit ${rounded(maxMs)} ms)`;
  }

  #limitsFor(expected: unknown): Limits {
    const maxMs = numberIn(expected, 'maxLatency') ?? this.#options.maxLatencyMs;
    const goodMs = this.#options.penaltyThreshold ?? numberIn(expected, 'optimalLatency') ?? 0.5 * maxMs;
    return { maxMs, goodMs: Math.min(goodMs, maxMs) };
  }
}

/** Scores how long an output took; one that does not say gets 0.5. */
export const LatencyScorer = callableScorer(Latency);
export type LatencyScorer = Latency;

function scoreWithin(latencyMs: number, { maxMs, goodMs }: Limits): number {
  if (latencyMs <= goodMs) return 1;
  if (latencyMs <= maxMs) return 1 - ((latencyMs - goodMs) / (maxMs - goodMs)) * 0.7;
  return Math.max(0.1, 0.3 - ((latencyMs - maxMs) / maxMs) * 0.2);
}

function asksForSpeed(testName = ''): boolean {
  return /performance|fast|speed/i.test(testName);
}

function numberIn(expected: unknown, key: string): number | undefined {
  const value = isRecord(expected) ? expected[key] : undefined;
  return typeof value === 'number' ? value : undefined;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
