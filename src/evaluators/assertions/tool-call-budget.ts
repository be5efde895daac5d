import * as z from 'zod';
import { grouped } from '../../shared/numbers.ts';
import { defineEvaluator } from '../evaluator.ts';
import { withinBudget } from './budget.ts';
import { toolCallCountSoFar } from './turn-figures.ts';

const configSchema = () =>
  z.strictObject({
    maxCalls: z.int().min(0).describe('most tool calls in the whole conversation'),
  });

/** The agent asked for no more tools than allowed. */
export const toolCallBudget = defineEvaluator({
  type: 'tool-call-budget',
  label: 'Tool Call Budget',
  kind: 'assertion',
  summary: 'at most maxCalls tool calls in the whole conversation; needs a connector that tells them',
  needs: [],
  configSchema,
  when: () => 'every-turn',
  prepare:
    ({ maxCalls }) =>
    ({ trace, turn }) => {
      if (!turn) return { state: 'fail', reason: 'There is no answer whose tool calls could be counted' };
      const actual = toolCallCountSoFar(trace);
      const reason = `${grouped(actual)} / ${grouped(maxCalls)} tool calls`;
      return withinBudget({ actual, limit: maxCalls, reason, onlyGrows: true });
    },
});
