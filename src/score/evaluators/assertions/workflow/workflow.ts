import { type Workflow, workflowSchema } from '../../../../domain/mcp/suites.ts';
import type { WorkflowMetric } from '../../../../domain/mcp-findings.ts';
import { type ObservedCall, observedCalls } from '../../../../domain/tools/tool-calls.ts';
import type { Trace } from '../../../../domain/trace.ts';
import type { Trial } from '../../../../domain/trial.ts';
import type { Answer } from '../../evaluator.ts';

/** The workflow that a trial took; throws for a trial of something else. */
export function workflowOf({ case: { input } }: Pick<Trial, 'case'>): Workflow {
  const parsed = workflowSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new Error('This evaluator needs a workflow, and the input of this case is not a workflow.');
}

/** The calls to the server, refused ones included: where a recorder stood before it, what an agent did with its own tools is left out. */
export function serverCalls(trace: Trace): readonly ObservedCall[] {
  const calls = observedCalls(trace);
  const isRecorded = trace.some(
    ({ type, seenBy }) => seenBy === 'recorder' && (type === 'mcp-server' || type === 'tool-call'),
  );
  return isRecorded ? calls.filter(({ seenBy }) => seenBy === 'recorder') : calls;
}

/** A figure of a workflow as the verdict that it is; `reason` where there is more to say than the figure does. */
export function metricAnswer(metric: WorkflowMetric, reason = metric.details): Answer<'assertion'> {
  return { state: metric.passed ? 'pass' : 'fail', reason, value: metric.score, findings: { workflow: [metric] } };
}
