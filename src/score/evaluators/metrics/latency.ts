import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { inMs, latencyMsOf } from '../turn-figures.ts';

/** How long the answers took. */
export const latency = defineEvaluator({
  type: 'latency',
  label: 'Latency',
  kind: 'metric',
  summary: 'milliseconds until the answer; the mean over a conversation',
  needs: [],
  reads: { channels: { times: 'total' }, scope: 'answer' },
  configSchema: () => z.strictObject({}),
  aggregate: 'mean',
  prepare:
    () =>
    ({ trace }) => {
      const value = latencyMsOf(trace);
      if (value === undefined) return { state: 'no-data', reason: 'No answer to measure' };
      return { state: 'measured', value, reason: `Answered after ${inMs(value)}` };
    },
});
