import type { Workflow } from '../../../../domain/mcp-suites.ts';
import { isNamed } from '../../../../domain/tool-names.ts';
import { compareOrder } from '../../../../domain/tool-order.ts';
import type { Evaluate } from '../../evaluator.ts';
import { calledNames } from './shown-calls.ts';
import { metricAnswer, serverCalls, workflowOf } from './workflow.ts';

const metric = 'Tool Invocation Order';

/** How `workflow-tool-order` looks at a trial. */
export const checkWorkflowToolOrder: Evaluate<'assertion'> = ({ trial, trace }) => {
  const workflow = workflowOf(trial);
  const { order } = workflow;
  const expectedTools = expectedIn(workflow);
  const calls = serverCalls(trace);
  const actualTools = calls.map(({ tool }) => tool);
  if (expectedTools.length === 0) {
    const metadata = { expectedTools, actualTools, matchCount: 0, order };
    return metricAnswer({ metric, passed: true, score: 1, details: 'No tools were expected in particular', metadata });
  }
  const { matchCount, isMet } = compareOrder({ calls, expected: expectedTools, order, isCallOf: isNamed });
  // Where nothing else may be called, every other call counts against it.
  const wanted = order === 'exact' ? Math.max(expectedTools.length, calls.length) : expectedTools.length;
  const names = `${expectedTools.join(', ')} (${order})`;
  return metricAnswer({
    metric,
    passed: isMet,
    score: matchCount / wanted,
    details: isMet
      ? `The tools were called as expected: ${names}`
      : `Expected ${names}; ${matchCount} of ${expectedTools.length} in place; ${calledNames(calls)}`,
    metadata: { expectedTools, actualTools, matchCount, order },
  });
};

/** Those of the workflow, or without them those of its steps one after the other. */
function expectedIn({ expectTools, steps }: Workflow): string[] {
  if (expectTools && expectTools.length > 0) return expectTools;
  return steps.flatMap((step) => step.expectTools ?? []);
}
