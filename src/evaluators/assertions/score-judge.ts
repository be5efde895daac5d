import { score } from '../../judge/modes/score.ts';
import { judgeEvaluator } from './judge-evaluator.ts';

/** One score for everything that happened, given by a model. */
export const scoreJudge = judgeEvaluator('score-judge', 'Score Judge', score);
