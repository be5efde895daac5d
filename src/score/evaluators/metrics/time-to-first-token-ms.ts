import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { inMs, noTimeToFirstToken } from '../turn-figures.ts';

/** How long the first piece of an answer took. */
export const timeToFirstTokenMs = defineEvaluator({
  type: 'time-to-first-token-ms',
  label: 'Time To First Token',
  kind: 'metric',
  summary: 'milliseconds until the first token of the answer; the mean over a conversation',
  needs: [],
  reads: { channels: { times: 'total' }, scope: 'answer' },
  configSchema: () => z.strictObject({}),
  aggregate: 'mean',
  prepare:
    () =>
    ({ turn }) => {
      const value = turn?.timeToFirstTokenMs;
      if (value === undefined) return { state: 'no-data', reason: noTimeToFirstToken };
      return { state: 'measured', value, reason: `First token after ${inMs(value)}` };
    },
});
