import * as z from 'zod';
import { defineEvaluator } from '../../evaluator.ts';
import { costSoFar } from '../../turn-figures.ts';
import { withinBudget } from './budget.ts';

const configSchema = () =>
  z.strictObject({
    maxUsd: z.number().min(0).describe('most that the whole conversation may cost, in US dollars'),
  });

/** The conversation cost no more than allowed; without figures it cannot be judged, unless what is known is too much. */
export const costBudget = defineEvaluator({
  type: 'cost-budget',
  label: 'Cost Budget',
  kind: 'assertion',
  summary: 'the whole conversation cost at most maxUsd US dollars; needs a connector that reports the cost',
  example: { maxUsd: 0.05 },
  needs: [],
  reads: { channels: { cost: 'total' } },
  configSchema,
  when: () => 'every-turn',
  prepare:
    ({ maxUsd }) =>
    ({ trace }) => {
      const usd = costSoFar(trace);
      const reason = `$${Number(usd.toFixed(6))} / $${maxUsd}`;
      return withinBudget({ actual: usd, limit: maxUsd, reason, onlyGrows: true });
    },
});
