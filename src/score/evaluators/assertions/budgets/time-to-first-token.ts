import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { defineEvaluator } from '../../evaluator.ts';
import { inMs, noTimeToFirstToken } from '../../turn-figures.ts';
import { withinBudget } from './budget.ts';

const configSchema = () =>
  z.strictObject({
    maxMs: z.number().min(0).describe('longest time until the first piece of the answer, in milliseconds'),
  });

/** The first piece of the answer came within a time limit. */
export const timeToFirstToken = defineEvaluator({
  type: 'time-to-first-token',
  label: 'Time To First Token',
  kind: 'assertion',
  summary: 'the first token of each answer arrived within maxMs milliseconds; needs a connector that streams',
  example: { maxMs: 1_000 },
  needs: [],
  reads: { channels: { times: 'total' }, scope: 'answer' },
  configSchema,
  when: () => 'every-turn',
  prepare:
    ({ maxMs }) =>
    ({ turn }) => {
      const actual = turn?.timeToFirstTokenMs;
      if (actual === undefined) throw new AssayError('NOT_OBSERVED', `${noTimeToFirstToken}.`);
      return withinBudget({ actual, limit: maxMs, reason: `${inMs(actual)} / ${inMs(maxMs)}` });
    },
});
