import { rubricConfigSchema } from '../../../judge/mode-configs.ts';
import { judgeEvaluator } from './judge-evaluator.ts';

/** A weighted rubric, scored by a model. */
export const rubricJudge = judgeEvaluator({
  type: 'rubric-judge',
  summary: 'a weighted rubric scored by a model; the weighted score is recomputed',
  example: {
    rubric: { criteria: [{ id: 'correct', weight: 1, description: 'The answer is correct' }] },
    passThreshold: 0.7,
  },
  configSchema: rubricConfigSchema,
  loadMode: async () => (await import('../../../judge/modes/rubric.ts')).rubric,
});
