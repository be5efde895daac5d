import { scoreConfigSchema } from '../../../judge/mode-configs.ts';
import { judgeEvaluator } from './judge-evaluator.ts';

/** One score for everything that happened, given by a model. */
export const scoreJudge = judgeEvaluator({
  type: 'score-judge',
  summary: 'one score from 0 to 1 given by a model',
  example: { instructions: 'How helpful is the answer?', passThreshold: 0.7 },
  configSchema: scoreConfigSchema,
  loadMode: async () => (await import('../../../judge/modes/score.ts')).score,
  loadWorkflowPart: async () => (await import('./workflow-judge.ts')).workflowJudge,
});
