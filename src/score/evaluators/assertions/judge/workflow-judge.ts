import { countedUsage } from '../../../../domain/counted-usage.ts';
import type { JudgeAnswer } from '../../../../domain/judge-result.ts';
import type { Workflow } from '../../../../domain/mcp/suites.ts';
import { workflowOf } from '../workflow/workflow.ts';
import type { WorkflowPart } from './judge-evaluator.ts';

/** A scoring judge as one more metric of a workflow. */
interface LlmJudgeMetric {
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

/** Subject for the judge of a workflow, and the figure made from its answer. */
export const workflowJudge: WorkflowPart = {
  subjectOf(subject, trial, trace) {
    const workflow = workflowOf(trial);
    return {
      ...subject,
      task: trial.case.expectedBehavior ?? taskOf(workflow),
      expected: subject.expected ?? workflow.steps.at(-1)?.expectedState,
      testedModel: subject.testedModel ?? countedUsage(trace)[0]?.model,
    };
  },
  metricsOf(result, errors) {
    const metric = llmJudgeMetric(result);
    if (!metric || (result.state === 'error' && errors === 'ignore')) return [];
    const { model, threshold, warnings } = result;
    const metadata = { ...(model !== undefined && { model }), ...(threshold !== undefined && { threshold }), warnings };
    const isUnjudged = result.state === 'error' && errors === 'error';
    return [{ ...metric, ...(isUnjudged && { state: 'error' as const }), metadata }];
  },
};

function taskOf({ description, steps }: Workflow): string {
  const requests = steps.map(({ user }, index) => (steps.length === 1 ? user : `${index + 1}. ${user}`)).join('\n');
  return description ? `${description}\n\n${requests}` : requests;
}
