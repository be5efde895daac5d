import type { Workflow } from '../../../../domain/mcp/suites.ts';
import { unknownTool } from '../../../../domain/tools/known-tools.ts';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import { compareOrder } from '../../../../domain/tools/tool-order.ts';
import { type Answer, defineEvaluator, type EvaluationContext } from '../../evaluator.ts';
import { calledNames, isCarriedOut } from '../tool-use/call-text.ts';
import { countedAgainst } from '../tool-use/tool-order.ts';
import { metricAnswer, serverCalls, workflowOf } from './workflow.ts';

const metric = 'Tool Invocation Order';

/** The tools of a workflow were called in the order that it expects. */
export const workflowToolOrder = defineEvaluator({
  type: 'workflow-tool-order',
  label: 'Tool Invocation Order',
  kind: 'assertion',
  summary: 'the expectTools of a workflow were called in the order that it requires',
  reads: { channels: { 'tool-calls': 'exact', 'tool-results': 'exact' } },
  prepare: () => checkWorkflowToolOrder,
});

function checkWorkflowToolOrder({ trial, trace }: EvaluationContext): Answer<'assertion'> {
  const workflow = workflowOf(trial);
  const { order } = workflow;
  const expectedTools = expectedIn(workflow);
  const refusal = expectedTools.map((name) => unknownTool(trace, name)).find((why) => why !== undefined);
  if (refusal) return { state: 'error', error: refusal };
  const calls = serverCalls(trace);
  const actualTools = calls.map(({ tool }) => tool);
  if (expectedTools.length === 0) {
    const metadata = { expectedTools, actualTools, matchCount: 0, order };
    return metricAnswer({ metric, passed: true, score: 1, details: 'No tools were expected in particular', metadata });
  }
  const isCallOf = order === 'subset' ? isNamed : isCarriedOut;
  const { matchCount, isMet } = compareOrder({ calls, expected: expectedTools, order, isCallOf });
  const wanted = countedAgainst(order, expectedTools.length, calls.length);
  const names = `${expectedTools.join(', ')} (${order})`;
  return metricAnswer({
    metric,
    passed: isMet,
    score: isMet ? 1 : matchCount / wanted,
    details: isMet
      ? `The tools were called as expected: ${names}`
      : `Expected ${names}; ${matchCount} of ${expectedTools.length} in place; ${calledNames(calls)}`,
    metadata: { expectedTools, actualTools, matchCount, order },
  });
}

/** Those of the workflow, or without them those of its steps one after the other. */
function expectedIn({ expectTools, steps }: Workflow): string[] {
  if (expectTools && expectTools.length > 0) return expectTools;
  return steps.flatMap((step) => step.expectTools ?? []);
}
