import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { defineEvaluator } from '../../evaluator.ts';
import { inMs, latencyMsOf } from '../../turn-figures.ts';
import { withinBudget } from './budget.ts';

const configSchema = () =>
  z.strictObject({
    maxMs: z.number().min(0).describe('longest time that the answer may take, in milliseconds'),
  });

/** The answer came within a time limit; exactly the limit is still within it. */
export const latencyBudget = defineEvaluator({
  type: 'latency-budget',
  label: 'Latency Budget',
  kind: 'assertion',
  summary: 'the answer arrived within maxMs milliseconds; in a conversation, each answer',
  example: { maxMs: 5_000 },
  needs: [],
  reads: { channels: { times: 'total' }, scope: 'answer' },
  configSchema,
  when: () => 'every-turn',
  prepare:
    ({ maxMs }) =>
    ({ trace }) => {
      const actual = latencyMsOf(trace);
      if (actual === undefined)
        throw new AssayError('NOT_OBSERVED', 'There is no answer whose time could be measured.');
      const metadata = { actualMs: actual, budgetMs: maxMs };
      return withinBudget({ actual, limit: maxMs, reason: `${inMs(actual)} / ${inMs(maxMs)}`, metadata });
    },
});
