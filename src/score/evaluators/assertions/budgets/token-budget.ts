import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { grouped } from '../../../../shared/format.ts';
import { defineEvaluator } from '../../evaluator.ts';
import { knownTokens, noTokenUsage } from '../../turn-figures.ts';
import { withinBudget } from './budget.ts';

const configSchema = () =>
  z
    .strictObject({
      maxTokens: z.number().min(0).describe('most tokens that one answer may take'),
      inputOnly: z.boolean().default(false).describe('count only input tokens'),
      outputOnly: z.boolean().default(false).describe('count only output tokens'),
    })
    .refine(({ inputOnly, outputOnly }) => !(inputOnly && outputOnly), {
      message: '`inputOnly` and `outputOnly` cannot be used together',
      path: ['outputOnly'],
    });

/** The answer took no more tokens than allowed; without all figures it cannot be judged, unless the known part is too much. */
export const tokenBudget = defineEvaluator({
  type: 'token-budget',
  label: 'Token Budget',
  kind: 'assertion',
  summary: 'each answer used at most maxTokens tokens; needs a connector that reports them',
  example: { maxTokens: 2_000 },
  needs: [],
  reads: { channels: { usage: 'total' }, scope: 'answer' },
  configSchema,
  when: () => 'every-turn',
  prepare: ({ maxTokens, inputOnly, outputOnly }) => {
    const counted = inputOnly ? 'input' : outputOnly ? 'output' : 'total';
    const words = counted === 'total' ? 'tokens' : `${counted} tokens`;
    return (context) => {
      const spent = knownTokens(context, counted);
      if (spent === undefined) throw new AssayError('NOT_OBSERVED', `${noTokenUsage}.`);
      const { tokens: actual, isAll } = spent;
      if (!isAll && actual <= maxTokens) throw new AssayError('NOT_OBSERVED', `Not all ${words} were reported.`);
      return withinBudget({ actual, limit: maxTokens, reason: `${grouped(actual)} / ${grouped(maxTokens)} ${words}` });
    };
  },
});
