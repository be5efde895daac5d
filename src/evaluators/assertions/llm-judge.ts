import { criteria } from '../../judge/modes/criteria.ts';
import { judgeEvaluator } from './judge-evaluator.ts';

/** Success and failure criteria in plain words, answered by a model with evidence. */
export const llmJudge = judgeEvaluator('llm-judge', 'LLM Judge', criteria);
