import { criteriaConfigSchema } from '../../judge/mode-configs.ts';
import { judgeEvaluator } from './judge-evaluator.ts';

/** Success and failure criteria in plain words, answered by a model with evidence. */
export const llmJudge = judgeEvaluator({
  type: 'llm-judge',
  label: 'LLM Judge',
  summary: 'success and failure criteria in plain words, answered by a model with evidence',
  configSchema: criteriaConfigSchema,
  loadMode: async () => (await import('../../judge/modes/criteria.ts')).criteria,
});
