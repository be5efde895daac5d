import { isBrokenOnPurpose, type ObservedCall } from '../../../../domain/tools/tool-calls.ts';
import type { Trial } from '../../../../domain/trial.ts';
import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { type Answer, defineEvaluator, type EvaluationContext } from '../../evaluator.ts';
import { callTexts } from '../tool-use/call-text.ts';
import { metricAnswer, serverCalls, workflowOf } from './workflow.ts';

/** Every tool that a workflow called has answered without an error. */
export const workflowCallHealth = defineEvaluator({
  type: 'workflow-call-health',
  label: 'Tool Call Health',
  kind: 'assertion',
  summary: 'every tool that was called in a workflow answered without an error',
  reads: { channels: { 'tool-calls': 'exact', 'tool-results': 'exact' } },
  prepare: () => checkWorkflowCallHealth,
});

function checkWorkflowCallHealth({ trial, trace }: EvaluationContext): Answer<'assertion'> {
  workflowOf(trial);
  // A call that Assay broke on purpose says nothing about the tool.
  const all = serverCalls(trace);
  const calls = all.filter((call) => !isBrokenOnPurpose(call));
  const failed = calls.filter((call) => problemOf(call) !== undefined);
  const allowed = allowedFailures(trial);
  const totalCalls = calls.length;
  const successCount = totalCalls - failed.length;
  const failures = failed.map((call) => ({ tool: call.tool, call: call.number, error: problemOf(call) ?? '' }));
  const details =
    totalCalls === 0
      ? withoutAnswers(all.length)
      : failed.length === 0
        ? `All of ${counted(totalCalls, 'call')} succeeded`
        : `${failed.length} of ${counted(totalCalls, 'call')} failed${allowed > 0 ? ` (${allowed} allowed)` : ''}: ${callTexts(failed, (call) => problemOf(call) ?? '')}`;
  return metricAnswer({
    metric: 'Tool Call Health',
    passed: failed.length <= allowed,
    score: totalCalls === 0 ? 1 : successCount / totalCalls,
    details,
    metadata: { totalCalls, successCount, failures },
  });
}

function withoutAnswers(broken: number): string {
  if (broken === 0) return 'No tools were called';
  return `Faults broke ${broken === 1 ? 'the only call' : `all ${broken} calls`}, so nothing is known of the tools`;
}

/** Failures that the author of the scenario allows in so many words count for every rule about failed calls. */
function allowedFailures({ case: { evaluators } }: Pick<Trial, 'case'>): number {
  const limits = evaluators.flatMap(({ type, config }) =>
    type === 'no-failed-calls' && isRecord(config) && config.tools === undefined ? [Number(config.allow ?? 0)] : [],
  );
  return limits.length === 0 ? 0 : Math.min(...limits);
}

function problemOf({ isAnswered, error }: ObservedCall): string | undefined {
  return isAnswered ? error?.message : 'it was never answered';
}
