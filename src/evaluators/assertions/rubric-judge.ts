import { rubric } from '../../judge/modes/rubric.ts';
import { judgeEvaluator } from './judge-evaluator.ts';

/** A weighted rubric, scored by a model. */
export const rubricJudge = judgeEvaluator('rubric-judge', 'Rubric Judge', rubric);
