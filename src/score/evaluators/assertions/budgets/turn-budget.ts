import * as z from 'zod';
import { grouped } from '../../../../shared/format.ts';
import { defineEvaluator } from '../../evaluator.ts';
import { withinBudget } from './budget.ts';

const configSchema = () =>
  z.strictObject({
    maxTurns: z.int().min(1).describe('most answers that the conversation may take'),
  });

/** The conversation came to its end within a number of answers. */
export const turnBudget = defineEvaluator({
  type: 'turn-budget',
  label: 'Turn Budget',
  kind: 'assertion',
  summary: 'the conversation had at most maxTurns answers',
  example: { maxTurns: 4 },
  needs: [],
  reads: { channels: { answers: 'total' } },
  configSchema,
  when: () => 'every-turn',
  prepare:
    ({ maxTurns }) =>
    ({ turn }) => {
      if (!turn) return { state: 'fail', reason: 'There is no answer that could be counted', restsOn: 'silence' };
      const reason = `${grouped(turn.number)} / ${grouped(maxTurns)} turns`;
      return withinBudget({ actual: turn.number, limit: maxTurns, reason, onlyGrows: true });
    },
});
