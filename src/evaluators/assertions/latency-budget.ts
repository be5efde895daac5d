import * as z from 'zod';
import { lastAnswer } from '../../domain/trace.ts';
import { grouped } from '../../shared/numbers.ts';
import { defineEvaluator } from '../evaluator.ts';

const configSchema = z.strictObject({
  maxMs: z.number().min(0).describe('longest time that the answer may take, in milliseconds'),
});

/** The answer came within a time limit; exactly the limit is still within it. */
export const latencyBudget = defineEvaluator({
  type: 'latency-budget',
  label: 'Latency Budget',
  kind: 'assertion',
  summary: 'the answer came within maxMs milliseconds',
  needs: ['call-answer'],
  configSchema,
  prepare:
    ({ maxMs }) =>
    ({ trace }) => {
      const actualMs = lastAnswer(trace)?.durationMs;
      if (actualMs === undefined) return { state: 'fail', reason: 'There is no answer whose time could be measured' };
      const reason = `${inWords(actualMs)} / ${inWords(maxMs)}`;
      if (actualMs <= maxMs) return { state: 'pass', reason, value: 1 };
      return { state: 'fail', reason, value: maxMs === 0 ? 0 : Math.max(0, 1 - (actualMs - maxMs) / maxMs) };
    },
});

function inWords(ms: number): string {
  return `${grouped(ms < 10 ? Number(ms.toFixed(2)) : Math.round(ms))}ms`;
}
