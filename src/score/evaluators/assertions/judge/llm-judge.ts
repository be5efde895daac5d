import * as z from 'zod';
import type { JudgeResult } from '../../../../domain/judge-result.ts';
import type { When } from '../../../../domain/scenario.ts';
import { lazySchema } from '../../../../shared/lazy-schema.ts';
import { criteriaConfigSchema } from '../../../judge/mode-configs.ts';
import { judgeEvaluator } from './judge-evaluator.ts';

const configSchema = lazySchema(() =>
  criteriaConfigSchema.safeExtend({
    failureCriteriaMode: z
      .enum(['every_turn', 'on_max_messages'])
      .optional()
      .describe(
        'in a conversation: `every_turn` ends it with a fail as soon as a failure criterion is met, `on_max_messages` (default) waits for the end',
      ),
  }),
);
type Config = z.output<typeof configSchema>;

/** Success and failure criteria in plain words, answered by a model with evidence. */
export const llmJudge = judgeEvaluator({
  type: 'llm-judge',
  label: 'LLM Judge',
  summary: 'success and failure criteria in plain words, answered by a model with evidence',
  example: { successCriteria: 'The agent confirms the time of the booking.', failureCriteria: 'It invents a price.' },
  configSchema,
  sharesJudge: true,
  when: whenOf,
  isSettled: ({ failureCriteriaMode }, result) => failureCriteriaMode === 'every_turn' && isFailureMet(result),
  loadMode: async () => (await import('../../../judge/modes/criteria.ts')).criteria,
});

/** Where nothing has to happen, a first answer without failure decides nothing: it must stay so to the end. */
function whenOf({ successCriteria, failureCriteriaMode }: Config): When {
  if ([successCriteria ?? []].flat().length > 0) return 'eventually';
  return failureCriteriaMode === 'every_turn' ? 'every-turn' : 'final';
}

function isFailureMet({ state, criteria = [] }: JudgeResult): boolean {
  return state === 'fail' && criteria.some(({ kind, answer }) => kind === 'failure' && answer === 'met');
}
