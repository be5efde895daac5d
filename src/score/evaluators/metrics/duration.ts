import * as z from 'zod';
import { lastAnswer } from '../../../domain/trace.ts';
import { defineEvaluator } from '../evaluator.ts';

/** How long the tool took to answer. */
export const duration = defineEvaluator({
  type: 'duration',
  label: 'Duration',
  kind: 'metric',
  summary: 'milliseconds until the answer',
  needs: ['call-answer'],
  reads: { channels: { times: 'total' } },
  configSchema: () => z.strictObject({}),
  prepare:
    () =>
    ({ trace }) => {
      const durationMs = lastAnswer(trace)?.durationMs;
      if (durationMs === undefined) return { state: 'no-data', reason: 'No answer to measure' };
      return { state: 'measured', value: durationMs, reason: `Answered after ${durationMs.toFixed(2)} ms` };
    },
});
