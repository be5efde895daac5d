import type { JudgeAnswer } from '../../domain/judge-result.ts';

/** A scoring judge as one more metric of a workflow. */
export interface LlmJudgeMetric {
  readonly metric: 'LLM Judge';
  readonly passed: boolean;
  readonly score: number;
  readonly details: string;
}

/** The metric of an answer, or undefined when the judge was skipped. */
export function llmJudgeMetric(answer: JudgeAnswer): LlmJudgeMetric | undefined {
  if (answer.state === 'skipped') return undefined;
  const { score = 0, threshold = 0, reason } = answer;
  const details =
    answer.state === 'error'
      ? `Evaluation failed: ${reason}`
      : `Score: ${score.toFixed(2)}/${threshold.toFixed(2)} - ${reason}`;
  return { metric: 'LLM Judge', passed: answer.state === 'pass', score, details };
}
